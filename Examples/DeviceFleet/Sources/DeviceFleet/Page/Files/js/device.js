// The card of a device, and what its connection and its fault mean.

import { devicePath, send } from "./api.js";
import { control, copyOf, flash, part, setOptions } from "./dom.js";

/** Creates the card of a device. */
export function makeCard(device) {
  const card = copyOf("device-template");
  const path = devicePath(device.id);
  control(card, "remove").addEventListener("click", () => send("DELETE", path));
  control(card, "site").addEventListener("change", (event) => send("PUT", `${path}/site`, event.target.value || null));
  control(card, "heartbeat").addEventListener("click", () => {
    const firmware = reportOf(card.item)?.firmware ?? "1.0.0";
    send("PATCH", `${path}/heartbeat`, { at: new Date().toISOString(), firmware, health: "good" });
  });
  return card;
}

/** Shows a device in its card. */
export function updateCard(card, device, previous) {
  const report = reportOf(device);
  const fault = faultOf(report);
  card.dataset.state = stateOf(device);
  part(card, "name").textContent = device.name;
  part(card, "fault").textContent = fault ? describeFault(fault) : "";
  part(card, "fault").hidden = !fault;
  part(card, "firmware").textContent = report?.firmware ?? "–";
  const battery = report?.battery ?? null;
  part(card, "battery").textContent = battery === null ? "–" : `${battery} %`;
  card.querySelector("meter").hidden = battery === null;
  card.querySelector("meter").value = battery ?? 0;
  showTime(card, device);
  if (previous && stateOf(previous) !== stateOf(device)) flash(card);
}

/** Shows the sites in the menu of a card. */
export function showSites(card, sites, device) {
  const options = Object.entries(sites).map(([code, site]) => [code, site.name]);
  setOptions(control(card, "site"), [["", "Not installed"], ...options], device.site ?? "");
}

/** Shows how long ago a device was heard of. */
export function showTime(card, device) {
  const { connection } = device;
  part(card, "connection").textContent =
    connection.online ? `Online, heard ${ago(connection.online.at)}`
    : connection.offline ? `Offline since ${new Date(connection.offline.since).toLocaleTimeString()}`
    : "Never seen";
}

/** The last report of a device, or null. */
const reportOf = ({ connection }) => connection.online ?? connection.offline?.last ?? null;

/** The fault in a report, or null. */
const faultOf = (report) => report?.health.degraded ?? null;

function stateOf(device) {
  if (device.connection === "neverSeen") return "never-seen";
  if (device.connection.offline) return "offline";
  return faultOf(reportOf(device)) ? "degraded" : "online";
}

/** Returns the words for a fault: an enum with payloads. */
export function describeFault(fault) {
  if (fault === "lowBattery") return "Low battery";
  if (fault.overheating) return `Overheating, ${fault.overheating.celsius} °C`;
  return `Error ${fault.other.code}: ${fault.other.text}`;
}

function ago(time) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1000));
  return seconds < 2 ? "now" : seconds < 120 ? `${seconds} s ago` : `${Math.round(seconds / 60)} min ago`;
}
