// The state of the page: bindings of the browser client, and the components that show them.

import { connect } from "../client.js";
import { preservingFocus } from "./focus.js";

export const client = connect();

const outdated = new Set();
let renderedListener = () => {};

/** Calls `render` with the values of paths, and again when any of them has changed. An absent value is undefined. */
export function watch(paths, render) {
  const bindings = paths.map((path) => client.at(path));
  const group = {
    isComplete: () => bindings.every((binding) => binding.status !== "loading"),
    render: () => render(...bindings.map((binding) => binding.value)),
  };
  for (const binding of bindings) binding.subscribe(() => invalidate(group));
}

/** Sets a function that is called after components were rendered. */
export function onRendered(listener) {
  renderedListener = listener;
}

// One event changes several values, and the components that show them are rendered together.
function invalidate(group) {
  if (outdated.size === 0) queueMicrotask(renderOutdated);
  outdated.add(group);
}

function renderOutdated() {
  const groups = [...outdated].filter((group) => group.isComplete());
  outdated.clear();
  if (groups.length === 0) return;
  preservingFocus(() => groups.forEach((group) => group.render()));
  renderedListener();
}

/** Returns the latest value of a path. */
export const currentValue = (path) => client.at(path).value;

/** The server has refused a write with a problem document (RFC 9457). */
export class ProblemError extends Error {
  constructor(problem) {
    const { title, detail, pointer } = problem;
    super([title + (detail ? ":" : "."), detail, pointer && `(at ${pointer})`].filter(Boolean).join(" "));
    this.problem = problem;
  }

  /** The last path segment of the problem type. */
  get kind() {
    return this.problem.type?.split("/").at(-1);
  }
}

/** Waits for a write of the client. Throws a `ProblemError` if it was refused. */
export async function perform(write) {
  const { problem } = await write;
  if (problem) throw new ProblemError(problem);
}

/** Replaces the value of a path, which must have one. */
export const set = (path, value, options) => perform(client.at(path).set(value, options));

/**
 * Applies a JSON Patch (RFC 6902) in one revision. Returns when the value of a path passes a test, but after a second at
 * the latest: a change that is undone before the server sends it produces no event.
 */
export async function commit(operations, path, isDone) {
  await perform(client.commit(operations));
  await new Promise((resolve) => {
    const stop = client.at(path).subscribe((value) => isDone(value) && resolve());
    setTimeout(() => { stop(); resolve(); }, 1000);
  });
}
