// The entry point of the page: creates the components, subscribes them to state paths, and shows the state of the connection.

import { enableControls, loadAccess, signIn } from "./access.js";
import { DayRow } from "./components/days.js";
import { DishList } from "./components/dishes.js";
import { EditSheet } from "./components/sheet.js";
import { Label } from "./components/label.js";
import { PinnedDish } from "./components/pinned.js";
import { CustomTime, TimePicker } from "./components/time.js";
import { showStatus } from "./components/status.js";
import { labelPaths, showPaths } from "./paths.js";
import { client, onRendered, watch } from "./state.js";

const element = (id) => document.getElementById(id);

const sheet = new EditSheet(element("sheet"));
const pinned = new PinnedDish(element("pinned"), sheet);
const dishes = new DishList(element("dishes"), sheet);
const favorites = new Label(element("favorites"), (ids) => `♥ ${ids.length} favorite${ids.length === 1 ? "" : "s"}`);
const time = new TimePicker(element("time"));
const customTime = new CustomTime(element("custom-time"));
const days = new DayRow(element("days"));
const dayLabel = new Label(element("day-label"), (text) => text);

/** The time between two attempts to ask the server for the access of this window, in milliseconds. */
const accessDelay = 1_000;

// The first values are rendered with the access that is known.
while (!await loadAccess().then(() => true, () => false)) {
  showStatus(element("status"), { state: "offline", pending: 0 });
  await new Promise((resolve) => setTimeout(resolve, accessDelay));
}

watch(["/pinnedDish"], (dish) => pinned.set(dish));
watch(["/dishes", "/pinnedID"], (all, pinnedID) => dishes.update(all, pinnedID));
watch(["/favorites"], (ids) => favorites.set(ids));
watch(["/time"], (choice) => time.set(typeof choice === "string" ? choice : Object.keys(choice)[0]));
watch(["/time/custom"], (date) => customTime.set(date ?? null));
watch(["/days"], (cards) => days.update(cards));
watch(["/selectedDayLabel"], (text) => dayLabel.set(text));
watch(["/editing", "/dishes"], (editing, all) => sheet.update(editing, all));

// Read when the custom time is selected.
watch(["/customTimeOrDefault"], () => {});

element("show-paths").addEventListener("change", (event) => showPaths(event.target.checked));

onRendered(() => {
  enableControls();
  labelPaths();
  element("menu").hidden = false;
  showState();
});

let state = "connecting";
client.status.subscribe((status) => {
  if (status.state === "signedOut" && state !== "signedOut") {
    signIn(status.reason).then(loadAccess).catch(() => {});
  }
  state = status.state;
  showState();
});

/** Shows the state of the connection; live, once the first values are shown. */
function showState() {
  if (state !== "live" || !element("menu").hidden) showStatus(element("status"), client.status.value);
}
