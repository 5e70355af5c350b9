// The drafts of the page: what was typed and is not saved yet. They are stored for reloads of the page.

import { mayWrite } from "./api.js";
import { parseJSON, toJSON, typeAt } from "./schema.js";

const draftKey = `bindery-drafts ${location.pathname}`;

/** Path → `{state, etag, base, problem, theirs}`. `etag` and `base` are what was seen when editing began. */
const drafts = new Map();

export const draftEvents = new EventTarget();

let model;
let timer = 0;

const typeOf = (path) => toJSON(typeAt(model, path.split(addition)[0]));

/** Restores the drafts whose places still have the same type. Others may not fit. */
export function restoreDrafts(root) {
  model = root;
  try {
    for (const [path, draft, type] of parseJSON(sessionStorage.getItem(draftKey))) {
      if (type && type === typeOf(path)) drafts.set(path, draft);
    }
  } catch {
    // There are none.
  }
}

export function forgetDrafts() {
  drafts.clear();
  store();
}

/** Stores the drafts soon, because a draft can be a long text. */
function changed() {
  timer ||= setTimeout(store, 300);
  draftEvents.dispatchEvent(new Event("change"));
}

function store() {
  clearTimeout(timer);
  timer = 0;
  try {
    sessionStorage.setItem(draftKey, toJSON([...drafts].map(([path, draft]) => [path, draft, typeOf(path)])));
  } catch {
    // The storage is full or not permitted: drafts last as long as the page.
  }
}
addEventListener("pagehide", () => timer && store());

export const draftOf = (path) => drafts.get(path);
export const draftCount = () => (mayWrite() ? drafts.size : 0);
/** Returns the places that have drafts. */
export const draftPaths = () => [...new Set([...drafts.keys()].map((path) => path.split(addition)[0]))];

/** Follows the path of a collection whose new element is a draft. A pointer cannot contain it (RFC 6901). */
const addition = "~add";
export const additionOf = (path) => path + addition;

export function setDraft(path, draft) {
  drafts.set(path, draft);
  changed();
}

export function dropDraft(path) {
  if (drafts.delete(path)) changed();
}
