// What fields need of one place: how its value is shown, which places below it have fields, and its writes.

import { Failure, isUnanswered, make, read, request } from "./api.js";
import { jsonOf } from "./form.js";
import { activeCase, countOf, countText, describe, isContainer, isLeaf, join, parseJSON, step, summaries, summary,
  toJSON, unwrapped, urlOf, visible } from "./schema.js";

/**
 * Writes a value, on the condition that the place still has an ETag.
 *
 * @param write `{body, etag, key}`; a repetition with the same key changes nothing and gets the same answer
 */
export const send = (path, { body, etag, key }) => request("PUT", urlOf(path), { body, headers: {
  "Idempotency-Key": key, ...(etag === "-" || !etag ? { "If-None-Match": "*" } : { "If-Match": `"${etag}"` }) } });

/** Returns nothing for a request that was refused; an unanswered one is an error. */
export function unlessUnanswered(error) {
  if (!(error instanceof Failure) || isUnanswered(error)) throw error;
  return {};
}

/** Reads what others have written: a value, or since a revision none. */
export const readTheirs = (path, revision) => read(path).catch((error) => {
  if (error.status !== 404) throw error;
  return { etag: "-", revision };
});

export const sameValue = (left, right) => toJSON(left) === toJSON(right);

export const isChanged = (draft, place) => place && place.etag !== draft.etag && !sameValue(place.value, draft.base);

/** Shows the three values of a conflict. Its buttons stay as they are while the values change. */
export function drawConflict(box, type, { base, theirs, author }, yours, buttons) {
  const names = ["base", `theirs${author ? ` (${author})` : ""}`, "yours"];
  const values = make("dl", {}, ...summaries([base, theirs.value, yours], type).flatMap((textContent, index) =>
    [make("dt", { textContent: names[index] }), make("dd", { textContent: textContent || "absent" })]));
  const [alert, shown] = box.children;
  if (!alert) {
    box.append(make("p", { role: "alert", textContent: "This value was changed while you were editing." }), values,
      make("div", { className: "actions" }, ...buttons));
  } else {
    if (shown.textContent !== values.textContent) shown.replaceWith(values);
    if (box.dataset.etag !== theirs.etag) alert.textContent = "This value was changed once more.";
  }
  box.dataset.etag = theirs.etag;
}

export function typedValue(type, state) {
  try {
    return parseJSON(jsonOf(type, state));
  } catch {
    return state;
  }
}

/** Returns whether what is at a place may be removed. If that are several elements, it asks. */
export function mayRemove(type, place) {
  const { value } = place ?? {};
  const base = unwrapped(type);
  const part = type.isNested ? "some" : base.kind === "enum" && activeCase(value);
  const below = value && part && step(type, part);
  if (below) return mayRemove(below, { value: value[part] });
  const count = countOf(type, place);
  return !(count > 1) || confirm(`Remove ${countText(base, count)}?`);
}

/** Returns the places below a place that have fields of their own: a payload, or the members of a present value. */
export function childPaths(path, type, value) {
  if (value === undefined || value === null) return [];
  if (type.isNested) return value.some === null || isLeaf(type.of) ? [] : [join(path, "some")];
  const below = (place, shown) => {
    if (shown.kind !== "struct") return [place];
    return shown.members.map((member) => join(place, member.name));
  };
  const base = unwrapped(type);
  if (base.kind === "struct" && type.kind === "optional") return below(path, base);
  const payload = base.kind === "enum" && typeof value === "object" && step(base, activeCase(value));
  return payload ? below(join(path, activeCase(value)), payload) : [];
}

export const isEditable = (type) => !type.isReadOnly && !type.isID && (isLeaf(type) || unwrapped(type).kind === "enum"
  || type.kind === "optional");

export const badges = (type) => [
  type.isComputed ? make("span", { className: "badge", textContent: "computed" }) : null,
  type.isReadOnly || type.isID ? make("span", { className: "badge", textContent: "read-only" }) : null,
].filter(Boolean);

export function valueView(path, type, place) {
  const base = unwrapped(type);
  if (isContainer(type) && place.value !== null) {
    const count = countOf(type, place);
    return make("a", { href: `#${encodeURI(path)}`,
      textContent: count === undefined ? describe(base) : countText(base, count) });
  }
  const text = place.value === undefined ? "" : place.value && typeof place.value === "string" && base.kind === "text"
    ? visible(place.value) : summary(place.value, type);
  const view = make("output", { className: "plain", textContent: text.slice(0, 20_000) });
  if (base.kind === "date" && place.value) view.title = place.value;
  return view;
}
