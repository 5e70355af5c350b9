// What the user has typed and not saved. Drafts survive changes of the server, scrolling, lost connections and reloads.

import { mayWrite } from "./api.js";
import { toJSON, parseJSON } from "./schema.js";

const key = `bindery-drafts ${location.pathname}`;

/** Path → `{state, etag, base, problem, theirs}`. `etag` and `base` are what was seen when editing began. */
const drafts = new Map();

export const events = new EventTarget();

function restore() {
  try {
    for (const [path, draft] of parseJSON(sessionStorage.getItem(key) ?? "[]")) drafts.set(path, draft);
  } catch {
    sessionStorage.removeItem(key);
  }
}
restore();

function changed() {
  try {
    sessionStorage.setItem(key, toJSON([...drafts]));
  } catch {
    // The storage is full or not permitted: drafts last as long as the page.
  }
  events.dispatchEvent(new Event("change"));
}

export const draftOf = (path) => drafts.get(path);
export const draftCount = () => (mayWrite() ? drafts.size : 0);
export const draftPaths = () => [...drafts.keys()];

export function setDraft(path, draft) {
  drafts.set(path, draft);
  changed();
}

export function dropDraft(path) {
  if (drafts.delete(path)) changed();
}
