// What this window has heard of the state: a value for each watched path, undefined where nothing stands there.

const values = new Map();
const watchers = [];
const waiting = new Set();
let revision = -1;

/** Calls `draw` with the values of the paths, once for each event that changes any of them. */
export function watch(paths, draw) {
  watchers.push({ paths, draw });
}

/** The value last heard at a path. */
export function heard(path) {
  return values.get(path);
}

/** Takes one event: all that differs at a revision. */
export function apply(event) {
  const changed = new Set();
  for (const change of event.changes) {
    values.set(change.path, change.value);
    changed.add(change.path);
  }
  revision = event.revision;
  for (const { paths, draw } of watchers) {
    if (paths.some((path) => changed.has(path))) draw(...paths.map((path) => values.get(path)));
  }
  for (const look of [...waiting]) look();
}

/**
 * Resolves when what is shown is of this revision or a later one. What was undone before it could be told never makes
 * an event: nobody waits for it longer than a second.
 */
export function reached(wanted) {
  if (revision >= wanted) return Promise.resolve();
  return new Promise((resolve) => {
    const look = () => {
      if (revision >= wanted) end();
    };
    const timer = setTimeout(() => end(), 1000);
    const end = () => {
      clearTimeout(timer);
      waiting.delete(look);
      resolve();
    };
    waiting.add(look);
  });
}
