// The connection status.

const texts = {
  connecting: "Connecting…",
  live: "Live",
  periodic: "Not live: this browser shows the menu in five other windows already. Over HTTP/1.1 it has six connections "
    + "to a server, and each live window needs one. This window is updated every few seconds; you can edit here. Close "
    + "another window to make this one live.",
  locked: "Signed out",
  offline: "Offline. Showing the last known state; reconnecting…",
};

/** The time after which an interruption is shown, in milliseconds. Most are over before. */
const patience = 600;

let timer = 0;

/** Shows a status of the stream: `connecting`, `live`, `periodic`, `offline` or `locked`. */
export function showStatus(element, status) {
  clearTimeout(timer);
  // While reconnecting, the page is still offline.
  if (element.dataset.state === "offline" && status === "connecting") return;
  if (status === "connecting") timer = setTimeout(() => show(element, status), patience);
  else show(element, status);
}

function show(element, status) {
  // Screen readers announce a live region whenever its text is set, so set only a different text.
  if (element.dataset.state === status) return;
  element.dataset.state = status;
  element.textContent = texts[status];
  document.documentElement.dataset.status = status;
}
