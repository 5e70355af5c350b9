// The local cache of the state: the latest value of each watched path, or undefined if the path has no value.

const values = new Map();
const watchers = [];
const revisionListeners = new Set();
let revision = -1;
let waitListener = () => {};

/** Subscribes to paths: calls `render` with their values once for each event that changes any of them. */
export function watch(paths, render) {
  watchers.push({ paths, render });
}

/** Returns the latest value of a path. */
export function currentValue(path) {
  return values.get(path);
}

/** Applies an event: all changes of one revision. */
export function apply(event) {
  const changed = new Set();
  for (const change of event.changes) {
    values.set(change.path, change.value);
    changed.add(change.path);
  }
  revision = event.revision;
  for (const { paths, render } of watchers) {
    if (paths.some((path) => changed.has(path))) render(...paths.map((path) => values.get(path)));
  }
  for (const listener of [...revisionListeners]) listener();
}

/** Sets a function that is called when a write waits for its event. */
export function onWait(listener) {
  waitListener = listener;
}

/**
 * Resolves when the page shows the given revision or a later one, but after one second at the latest: a change that is
 * reverted before the server sends it produces no event.
 */
export function waitForRevision(expected) {
  if (revision >= expected) return Promise.resolve();
  waitListener();
  return new Promise((resolve) => {
    const check = () => {
      if (revision >= expected) finish();
    };
    const timer = setTimeout(() => finish(), 1000);
    const finish = () => {
      clearTimeout(timer);
      revisionListeners.delete(check);
      resolve();
    };
    revisionListeners.add(check);
  });
}
