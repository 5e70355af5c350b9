// The connection status.

/** The text of each state, with the number of writes that wait. */
const texts = {
  connecting: () => "Connecting…",
  live: () => "Live",
  signedOut: () => "Signed out",
  offline: (pending) => "Offline. Showing the last known state; reconnecting…"
    + (pending ? ` ${pending} ${pending === 1 ? "change waits" : "changes wait"} to be sent.` : ""),
};

/** The time after which an interruption is shown, in milliseconds. Most are over before. */
const patience = 600;

let timer = 0;

/** Shows a status of the client. */
export function showStatus(element, { state, pending }) {
  clearTimeout(timer);
  // While reconnecting, the page is still offline.
  if (element.dataset.state === "offline" && state === "connecting") return;
  if (state === "connecting") timer = setTimeout(() => show(element, state, pending), patience);
  else show(element, state, pending);
}

function show(element, state, pending) {
  const text = texts[state](pending);
  // Screen readers announce a live region whenever its text is set, so set only a different text.
  if (element.textContent !== text) element.textContent = text;
  element.dataset.pending = pending;
  element.dataset.state = document.documentElement.dataset.status = state;
}
