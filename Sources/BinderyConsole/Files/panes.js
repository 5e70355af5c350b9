// The pane of the selected place, with its fields, the form that adds an element, and the ways to copy it.

import { button, copy, Failure, make, mayWrite, needsToken, newKey, read, request, warn, writeButton } from "./api.js";
import { additionOf, draftOf, dropDraft, setDraft } from "./drafts.js";
import { configure, Field } from "./field.js";
import { control, jsonOf, markInvalid, partAt, stateOf } from "./form.js";
import { badges, mayRemove } from "./place.js";
import { countText, describe, isContainer, isShallow, join, parentOf, segments, shortPath, step, toJSON,
  typeAt, unwrapped, urlOf, visible } from "./schema.js";

/** Shows links to the members of an open object that its type does not declare. They have no rows in the tree. */
function showFurther(box, path, type) {
  read(path).then(({ value }) => {
    const names = Object.keys(value ?? {}).filter((name) => type.members.every((member) => member.name !== name));
    box.replaceChildren("Other members:", ...names.flatMap((name) => [" ", make("a", {
      href: `#${encodeURI(join(path, name))}`, textContent: visible(name) })]), names.length ? "" : " none");
  }, ({ message }) => { box.textContent = visible(message); });
}

export class Editor {
  #fields = [];
  #isAbsent = false;
  #canAdd = false;
  #wasWriter = mayWrite();
  #page;

  constructor(element, parts) {
    this.element = element;
    this.#page = parts;
    configure(parts);
    this.#page.live.addEventListener("change", ({ detail }) => this.#onChange(detail));
    this.#page.live.addEventListener("status", () => this.render());
    // The session is read again with each connection. The controls, and the focus in them, stay if it is the same.
    addEventListener("session", () => this.#wasWriter !== mayWrite() && this.show(this.path));
  }

  /** Returns the places that the pane shows, with whether their ETag suffices. */
  wanted() {
    const wanted = new Map(this.#allFields().map((field) => [field.path, isShallow(field.type)]));
    if (this.type && !wanted.has(this.path)) wanted.set(this.path, isShallow(this.type));
    for (let path = this.path; path && this.#page.live.places.get(path)?.absent;) {
      path = parentOf(path);
      const type = typeAt(this.#page.model, path);
      if (!wanted.has(path)) wanted.set(path, isShallow(type));
    }
    return wanted;
  }

  #allFields() {
    return this.#fields.flatMap((field) => [...field.all()]);
  }

  show(path) {
    if (path === undefined) return;
    this.path = path;
    this.#wasWriter = mayWrite();
    this.type = typeAt(this.#page.model, path);
    this.#fields = [];
    this.foot = this.count = null;
    if (!this.type) {
      return this.element.replaceChildren(this.#head(path), make("p", { className: "absence",
        textContent: "The model has no such place." }));
    }
    const base = unwrapped(this.type);
    const parts = [this.head = this.#head(path)];
    const place = this.#page.live.places.get(path);
    this.#isAbsent = Boolean(place?.absent);
    this.#canAdd = canAdd(this.type, place);
    const isPlain = isContainer(this.type) && this.type.kind !== "optional" && !this.#isAbsent;
    if (!isPlain) this.#fields.push(new Field(path, { isMain: true }));
    else if (base.kind === "struct") {
      for (const member of base.members) this.#fields.push(new Field(join(path, member.name)));
    } else parts.push(this.count = make("p", { className: "facts" }));
    parts.push(...this.#fields.map((field) => field.element));
    if (mayWrite() && !this.type.isReadOnly && !this.#isAbsent) {
      if (canAdd(this.type, place)) parts.push(adder(path, this.type, this.#page.wrote));
      const parent = unwrapped(typeAt(this.#page.model, parentOf(path)) ?? {});
      if (path && (["list", "dictionary"].includes(parent.kind) || this.type.isFurther) && !typeAt(this.#page.model,
        parentOf(path)).isComputed) {
        parts.push(this.#elementActions(path, parent));
      }
    }
    this.further = base.further && !this.#isAbsent ? make("p", { className: "facts" }) : null;
    if (this.further) showFurther(this.further, path, base);
    this.foot = make("footer", { className: "place-foot" });
    parts.push(...[this.further, this.foot].filter(Boolean));
    this.element.replaceChildren(...parts);
    this.#showFoot();
  }

  focus() {
    const fields = this.#allFields();
    (fields.find((field) => field.input) ?? fields[0])?.focus();
    if (this.element.contains(document.activeElement)) return;
    (this.element.querySelector("button") ?? this.element.querySelector("a")).focus();
  }

  /** Writes the opposite of a Bool; returns whether the place is one. */
  toggle() {
    const [field] = this.#fields;
    if (field?.path !== this.path || unwrapped(field.type).kind !== "bool" || !field.input) return false;
    field.input.click();
    return true;
  }

  saveAll() {
    for (const field of this.#allFields()) field.save();
  }

  render() {
    for (const field of this.#allFields()) field.render();
    if (this.foot) this.#showFoot();
  }

  #onChange(changes) {
    const changed = new Set(changes.map((change) => change.path));
    if (changed.has(this.path)) {
      const place = this.#page.live.places.get(this.path);
      if (this.type && (Boolean(place?.absent) !== this.#isAbsent || canAdd(this.type, place) !== this.#canAdd)) {
        const hadFocus = this.element.contains(document.activeElement);
        this.show(this.path);
        if (hadFocus) this.focus();
        return;
      }
      if (this.foot) this.#showFoot();
      if (this.further) showFurther(this.further, this.path, unwrapped(this.type));
    }
    const head = this.type && this.#head(this.path);
    if (head && head.textContent !== this.head.textContent) this.head.replaceWith(this.head = head);
    for (const field of this.#allFields()) if (this.#isAbsent || changed.has(field.path)) field.render();
    // A field may have got fields below it, whose values are not known yet.
    if (this.#allFields().some((field) => !field.place)) this.#page.watch();
  }

  #head(path) {
    const crumbs = make("nav", { className: "crumbs", "aria-label": "Path" }, make("a", { href: "#",
      textContent: "state" }));
    let current = "";
    for (const part of segments(path)) {
      const isElement = unwrapped(typeAt(this.#page.model, current) ?? {}).kind === "list";
      current = join(current, part);
      const name = visible(this.#page.tree.titleOf(current) || part);
      crumbs.append(" / ", make("a", { href: `#${encodeURI(current)}`, title: part,
        textContent: isElement && name === visible(part) ? shortPath(join("", part)).slice(1) : name }));
    }
    const head = make("header", { className: "place-head" }, crumbs);
    if (this.type) {
      head.append(make("h2", {}, make("span", { textContent: visible(this.#page.tree.titleOf(path)
        ?? segments(path).at(-1) ?? this.#page.model.name ?? "state") }),
        make("code", { textContent: describe(this.type) }), ...badges(this.type)));
      if (this.type.description) head.append(make("p", { className: "description",
        textContent: visible(this.type.description) }));
    }
    return head;
  }

  #elementActions(path, parent) {
    const actions = make("div", { className: "actions element-actions" });
    const collection = parentOf(path);
    const id = path.slice(collection.length);
    const move = (difference) => this.#run(async () => {
      // The tree may be older than what others have inserted or removed before the element.
      const { position, count, etag } = await this.#page.tree.positionOf(path);
      const at = Math.max(0, Math.min(count - 1, position + difference));
      return request("PATCH", urlOf(collection), { body: toJSON([{ op: "move", from: id, path: id, at }]), headers: {
        "Content-Type": "application/json-patch+json", Prefer: "return=minimal", "If-Match": `"${etag}"` } });
    });
    if (parent.kind === "list") {
      actions.append(writeButton("Move up", () => move(-1)), writeButton("Move down", () => move(1)));
    }
    actions.append(writeButton("Remove", async () => {
      // Nobody's change is removed unseen.
      const place = this.#page.live.places.get(path);
      if (!mayRemove(this.type, place)) return;
      const etag = place?.etag;
      const headers = etag && etag !== "-" ? { "If-Match": `"${etag}"` } : {};
      if (await this.#run(() => request("DELETE", urlOf(path), { headers }))) {
        this.#page.open(collection, { focus: true });
      }
    }, { className: "danger" }));
    return actions;
  }

  async #run(write) {
    try {
      this.#page.wrote(await write());
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      warn(error.status === 412 ? "It has changed in the meantime. Look at it, and try again." : error.message);
      return false;
    }
  }

  #showFoot() {
    const place = this.#page.live.places.get(this.path);
    const parts = [make("span", { className: "etag", textContent: place?.etag && place.etag !== "-"
      ? `ETag ${place.etag.slice(0, 8)}…` : "" }),
      make("span", { textContent: place?.changes ? `changed ${place.changes}×` : "" }),
      this.#page.live.state === "offline" ? make("span", { className: "stale", textContent: "stale" }) : null];
    const base = unwrapped(this.type);
    if (this.count) this.count.textContent = place?.count === undefined ? "" : countText(base, place.count);
    if (this.foot.firstChild) return this.foot.firstChild.replaceChildren(...parts.filter(Boolean));
    const copies = Object.entries(copyTexts(this.path, this.#page.model)).map(([name, text]) => button(name,
      () => copy(text, name)));
    this.foot.append(make("span", { className: "place-facts" }, ...parts.filter(Boolean)),
      make("a", { href: urlOf(this.path), target: "_blank", rel: "noopener", textContent: "JSON" }),
      make("details", { className: "copies" }, make("summary", { textContent: "Copy as…" }), make("div", {},
        ...copies)));
  }
}

/** Returns whether elements can be added to a place: not if it is computed, or nil. */
const canAdd = (type, place) => ["list", "dictionary"].includes(type && unwrapped(type).kind)
  && !type.isComputed && (type.kind !== "optional" || Boolean(place?.value));

/**
 * Creates the form that adds an element or an entry, which is a button until it is needed. What was typed is a draft.
 *
 * @param wrote called with the response to an addition
 */
function adder(path, type, wrote) {
  const { kind, element } = unwrapped(type);
  const isList = kind === "list";
  const draftPath = additionOf(path);
  const id = `add-${encodeURIComponent(path)}`;
  const form = make("form", { className: "field adder", noValidate: true, onkeydown: (event) => {
    if (form.contains(add) || event.isComposing) return;
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

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Returns the ways in which a place can be copied, by name.
 *
 * @param model the type of the root
 */
function copyTexts(path, model) {
  const url = new URL(urlOf(path), document.baseURI).href;
  const token = needsToken() ? ` -H "Authorization: Bearer $TOKEN"` : "";
  const header = needsToken() ? `, { headers: { Authorization: "Bearer $TOKEN" } }` : "";
  const value = async () => toJSON((await read(path)).value);
  return {
    "path": () => path || "/",
    "link": () => new URL(`#${encodeURI(path)}`, location.href).href,
    "JSON": value,
    "curl": () => `curl${token} ${quoted(url)}`,
    "curl (write)": async () =>
      `curl${token} -X PATCH ${quoted(url)} -H 'Content-Type: application/json' -d ${quoted(await value())}`,
    "curl (watch)": () => `curl -N${token} -H 'Accept: text/event-stream' ${quoted(url)}`,
    "fetch": () => `const response = await fetch(${JSON.stringify(url)}${header});\nconst value = await response.json();`,
    "Swift": () => `store.values(at: ${swiftPlace(path, model)})`,
  };
}

/** Returns a name as an identifier: a title can be any text. */
const identifier = (name) => name.replace(/^\P{ID_Start}+|\P{ID_Continue}+(.?)/gu, (_, next = "") =>
  next.toUpperCase());

/** Returns a place as the library writes it, such as `Menu.places.dishes[id: 5].name`. */
function swiftPlace(path, model) {
  const key = (text, kind) => {
    const literal = `"${visible(text.replace(/["\\]/g, "\\$&"))}"`;
    return { integer: text, uuid: `UUID(uuidString: ${literal})!`, date: `CalendarDay(${literal})!` }[kind] ?? literal;
  };
  let type = model;
  let isLabel = false;
  let text = `${identifier(model.name ?? "") || "State"}.places`;
  for (const part of segments(path)) {
    const { kind, element, keys, name } = unwrapped(type);
    if (type.kind === "optional") text += ".unwrapped()";
    if (kind === "list") {
      const { schema } = step(element, element.id);
      text += `[id: ${key(part, schema.format ?? schema.type)}]`;
    } else if (kind === "dictionary") text += `[key: ${key(part, keys)}]`;
    else if (kind === "enum") text += `[case: ${identifier(name ?? "Case")}.${part}]`;
    else if (!type.isNested && !isLabel) text += `.${part}`;
    type = step(type, part);
    // The place of a case is that of its payload, also if that has a label.
    isLabel = kind === "enum" && !type.name && type.members?.length === 1;
  }
  return text;
}
