// The connection status.

const texts = {
  connecting: "Connecting…",
  live: "Live",
  locked: "Signed out",
  offline: "Offline. Showing the last known state; reconnecting…",
};

/** Shows a status of the stream: `connecting`, `live`, `offline` or `locked`. */
export function showStatus(element, status) {
  // Screen readers announce a live region whenever its text is set, so set only a different text.
  if (element.dataset.state === status) return;
  // While reconnecting, the page is still offline.
  if (element.dataset.state === "offline" && status === "connecting") return;
  element.dataset.state = status;
  element.textContent = texts[status];
  document.documentElement.dataset.status = status;
}
