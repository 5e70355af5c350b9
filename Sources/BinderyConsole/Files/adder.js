// The form that adds an element or an entry. What was typed is a draft, like that of a field.

import { button, Failure, make, newKey, request, writeButton } from "./api.js";
import { additionOf, dropDraft, draftOf, setDraft } from "./drafts.js";
import { control, jsonOf, markInvalid, partAt, stateOf } from "./form.js";
import { join, unwrapped, urlOf, visible } from "./schema.js";

/** Returns whether elements can be added to a place: not if it is computed, or nil. */
export const canAdd = (type, place) => ["list", "dictionary"].includes(type && unwrapped(type).kind)
  && !type.isComputed && (type.kind !== "optional" || Boolean(place?.value));

/**
 * Creates the form, which is a button until it is needed.
 *
 * @param wrote called with the response to an addition
 */
export function adder(path, type, wrote) {
  const { kind, element } = unwrapped(type);
  const isList = kind === "list";
  const draftPath = additionOf(path);
  const id = `add-${encodeURIComponent(path)}`;
  const form = make("form", { className: "field adder", noValidate: true, onkeydown: (event) => {
    if (form.contains(add)) return;
    if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopPropagation();
      form.requestSubmit();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      close();
    }
  } });

  /** Sends an addition. A repetition has the same key, so that it adds no second element. */
  function send({ state, name, key }) {
    const body = jsonOf(element, state);
    const headers = { "Idempotency-Key": key };
    if (!isList) return request("PUT", urlOf(join(path, name)), { body,
      headers: { ...headers, "If-None-Match": "*" } });
    if (type.kind !== "optional") return request("POST", urlOf(path), { body, headers });
    // An optional list is a value, which has no POST.
    return request("PATCH", urlOf(path), { body: `[{"op":"add","path":"/-","value":${body}}]`,
      headers: { ...headers, "Content-Type": "application/json-patch+json", Prefer: "return=minimal" } });
  }

  const open = () => {
    const initial = draftOf(draftPath) ?? { state: stateOf(element, undefined), name: "" };
    const draft = () => draftOf(draftPath) ?? initial;
    // A changed addition is another one.
    const change = (part) => setDraft(draftPath, { ...draft(), ...part, key: undefined });
    const error = make("div", { className: "message", role: "status", id: `${id}-message` });
    const name = isList ? null : make("input", { type: "text", "aria-label": "key", placeholder: "key",
      autocomplete: "off", value: initial.name, oninput: () => change({ name: name.value }) });
    const input = control(element, initial.state, (state) => change({ state }), { label: "new element", id });
    let isSending = false;
    form.onsubmit = async (event) => {
      event.preventDefault();
      if (isSending || submit.disabled) return;
      isSending = true;
      const sent = { ...draft(), key: draft().key ?? newKey() };
      try {
        if (name?.value === "") throw new Failure(0, { title: "A key cannot be empty." });
        setDraft(draftPath, sent);
        // The stream brings the new value, and the count of the collection.
        wrote(await send(sent));
        if (draft() === sent) close();
      } catch (failure) {
        if (!(failure instanceof Failure)) throw failure;
        error.className = "message error";
        // The pointer of an operation begins with its number.
        const pointer = failure.problem.pointer?.replace(/^\/0\/value(?=\/|$)/, "");
        error.textContent = failure.status === 412 ? "There is an entry with this key."
          : visible(pointer ? `${pointer}: ${failure.message}` : failure.message);
        const invalid = failure.status === 422 || !name ? partAt(id, pointer) ?? input.control : name;
        if (failure.status) markInvalid(form, invalid, error.id);
        invalid.focus();
      } finally {
        isSending = false;
      }
    };
    const submit = writeButton("Add", null, { type: "submit", className: "primary" });
    form.replaceChildren(...(name ? [name] : []), input, error, make("div", { className: "actions" }, submit,
      button("Cancel", close)));
    return name ?? input.control;
  };
  const add = writeButton(isList ? `Add ${element.name ?? "element"}` : "Add entry", () => open().focus());
  const close = () => {
    dropDraft(draftPath);
    form.replaceChildren(add);
    add.focus();
  };
  form.append(add);
  if (draftOf(draftPath)) open();
  return form;
}
