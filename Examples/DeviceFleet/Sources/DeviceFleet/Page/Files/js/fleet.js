// The page: shows each state that the event stream delivers. Nothing is drawn before the server has stored it.

import { devicePath, send } from "./api.js";
import { makeCard, describeFault, showSites, showTime, updateCard } from "./device.js";
import { byID, control, copyOf, part, setOptions, showList } from "./dom.js";
import { watch } from "./live.js";
import { showRollout } from "./rollout.js";

const filter = byID("site-filter");
const devices = byID("devices");
let state = null;

watch((newState) => {
  state = newState;
  byID("fleet").hidden = false;
  show();
}, (status) => {
  byID("status").dataset.state = status;
  byID("status").textContent = status === "live" ? "Live" : "Connecting…";
});

function show() {
  for (const count of byID("summary").querySelectorAll("[data-count]")) {
    count.textContent = state.summary[count.dataset.count];
  }
  showRollout(byID("rollout"), state.rollout, state.summary);
  showAlerts();
  const sites = Object.entries(state.sites).map(([code, site]) => [`at ${code}`, site.name]);
  setOptions(filter, [["", "All"], ["none", "Not installed"], ...sites], filter.value);
  const shown = state.devices.filter(({ site }) => !filter.value || filter.value === (site === null ? "none" : `at ${site}`));
  showList(devices, shown, makeCard, updateCard);
  for (const card of devices.children) showSites(card, state.sites, card.item);
  byID("no-devices").hidden = shown.length > 0;
}

function showAlerts() {
  showList(byID("alerts"), state.alerts, ({ id }) => {
    const line = copyOf("alert-template");
    control(line, "acknowledge").addEventListener("click", () => {
      send("PATCH", `/alerts/${id}/isAcknowledged`, !line.item.isAcknowledged);
    });
    return line;
  }, (line, alert) => {
    line.dataset.acknowledged = alert.isAcknowledged;
    part(line, "device").textContent = alert.device;
    part(line, "fault").textContent = describeFault(alert.fault);
    control(line, "acknowledge").textContent = alert.isAcknowledged ? "Acknowledged" : "Acknowledge";
    control(line, "acknowledge").setAttribute("aria-pressed", alert.isAcknowledged);
  });
  byID("no-alerts").hidden = state.alerts.length > 0;
}

filter.addEventListener("change", show);
setInterval(() => { for (const card of devices.children) showTime(card, card.item); }, 1000);

byID("add").addEventListener("submit", (event) => {
  event.preventDefault();
  const site = filter.value.startsWith("at ") ? filter.value.slice(3) : null;
  send("POST", "/devices", { name: event.target.device.value.trim(), site });
  event.target.reset();
});
