// Whether the page is live.

const texts = {
  connecting: "Connecting…",
  live: "Live",
  locked: "Signed out",
  offline: "Offline. This is what was last heard; trying again…",
};

export function showStatus(element, status) {
  // A live region speaks whenever its text is set: only another text is set.
  if (element.dataset.state === status) return;
  // On the way back nothing is better yet.
  if (element.dataset.state === "offline" && status === "connecting") return;
  element.dataset.state = status;
  element.textContent = texts[status];
  document.documentElement.dataset.status = status;
}
