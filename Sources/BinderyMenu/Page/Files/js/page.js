// The entry point of the page: creates the components, subscribes them to state paths, and opens the event stream.

import { enableControls, loadAccess } from "./access.js";
import { DayRow } from "./components/days.js";
import { DishList } from "./components/dishes.js";
import { EditSheet } from "./components/sheet.js";
import { Label } from "./components/label.js";
import { PinnedDish } from "./components/pinned.js";
import { CustomTime, TimePicker } from "./components/time.js";
import { showStatus } from "./components/status.js";
import { flushAll } from "./draft.js";
import { preservingFocus } from "./focus.js";
import { labelPaths, showPaths } from "./paths.js";
import { apply, onWait, watch } from "./state.js";
import { Stream } from "./stream.js";

const element = (id) => document.getElementById(id);

const sheet = new EditSheet(element("sheet"));
const pinned = new PinnedDish(element("pinned"), sheet);
const dishes = new DishList(element("dishes"), sheet);
const favorites = new Label(element("favorites"), (ids) => `♥ ${ids.length} favorite${ids.length === 1 ? "" : "s"}`);
const time = new TimePicker(element("time"));
const customTime = new CustomTime(element("custom-time"));
const days = new DayRow(element("days"));
const dayLabel = new Label(element("day-label"), (text) => text);

watch(["/pinnedDish"], (dish) => pinned.set(dish));
watch(["/dishes", "/pinnedID"], (all, pinnedID) => dishes.update(all, pinnedID));
watch(["/favorites"], (ids) => favorites.set(ids));
watch(["/time"], (choice) => time.set(typeof choice === "string" ? choice : Object.keys(choice)[0]));
watch(["/time/custom"], (date) => customTime.set(date ?? null));
watch(["/days"], (cards) => days.update(cards));
watch(["/selectedDayLabel"], (text) => dayLabel.set(text));
watch(["/editing", "/dishes"], (editing, all) => sheet.update(editing, all));

const paths = [
  "/dishes", "/pinnedID", "/pinnedDish", "/favorites", "/time", "/time/custom", "/customTimeOrDefault", "/editing",
  "/days", "/selectedDayLabel",
];

element("show-paths").addEventListener("change", (event) => showPaths(event.target.checked));

/** The time between two attempts to ask the server for the access of this window, in milliseconds. */
const accessDelay = 1_000;

while (!await loadAccess().then(() => true, () => false)) {
  showStatus(element("status"), "offline");
  await new Promise((resolve) => setTimeout(resolve, accessDelay));
}

const stream = new Stream(paths, {
  onEvent(event) {
    preservingFocus(() => apply(event));
    enableControls();
    labelPaths();
    element("menu").hidden = false;
  },
  onStatus(status) {
    showStatus(element("status"), status);
    if (status === "live" || status === "periodic") flushAll();
  },
});
onWait(() => stream.refresh());
stream.start();
