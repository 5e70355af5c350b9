// The state of the fleet, kept current by one event stream: the whole state first, then JSON Patches (RFC 6902).

import { signIn } from "./api.js";

/**
 * Watches the state.
 *
 * @param onState called with the state; the parts that have not changed are the same objects as before
 * @param onStatus called with `live` or `connecting`
 */
export function watch(onState, onStatus) {
  let state;
  const source = new EventSource("state?as=patch");
  const show = (newState) => onState(state = newState);
  source.addEventListener("open", () => onStatus("live"));
  source.addEventListener("message", (event) => show(JSON.parse(event.data)));
  source.addEventListener("patch", (event) => show(patched(state, JSON.parse(event.data))));
  source.addEventListener("error", async () => {
    onStatus("connecting");
    // The browser reconnects by itself, except after an HTTP error.
    if (source.readyState !== EventSource.CLOSED) return;
    const response = await fetch("state/summary").catch(() => null);
    if (response?.status === 401) await signIn();
    setTimeout(() => watch(onState, onStatus), response?.ok || response?.status === 401 ? 0 : 2000);
  });
}

/** Returns a state with a JSON Patch applied. It shares all parts that the patch does not touch. */
export function patched(state, operations) {
  for (const { op, path, from, value } of operations) {
    const segments = parse(path);
    if (op === "add" || op === "replace") state = edited(state, segments, op, value);
    if (op === "remove") state = edited(state, segments, op);
    if (op === "move" || op === "copy") {
      const source = parse(from);
      const moved = source.reduce((node, segment) => node[keyOf(node, segment)], state);
      if (op === "move") state = edited(state, source, "remove");
      state = edited(state, segments, "add", moved);
    }
  }
  return state;
}

/** Returns a value with one operation applied. */
function edited(node, [segment, ...rest], op, value) {
  if (segment === undefined) return value;
  const copy = Array.isArray(node) ? [...node] : { ...node };
  const key = keyOf(copy, segment);
  if (rest.length > 0) copy[key] = edited(copy[key], rest, op, value);
  else if (op === "remove") Array.isArray(copy) ? copy.splice(key, 1) : delete copy[key];
  else if (op === "add" && Array.isArray(copy)) copy.splice(key, 0, value);
  else copy[key] = value;
  return copy;
}

/** Returns the key of a part: the index of an element that is named by its id, `-` or its index; else the name. */
function keyOf(node, segment) {
  if (!Array.isArray(node)) return segment;
  if (segment === "-") return node.length;
  const index = node.findIndex((element) => element.id === segment);
  return index < 0 ? Number(segment) : index;
}

const parse = (pointer) =>
  pointer.split("/").slice(1).map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
