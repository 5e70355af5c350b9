// The pane of the selected place: its fields, its elements, and the place as text to copy.

import { button, Failure, make, mayWrite, notify, request } from "./api.js";
import { copyTexts } from "./copy.js";
import { badges, configure, Field } from "./field.js";
import { control, jsonOf, stateOf } from "./form.js";
import { describe, isLeaf, join, parentOf, segments, shortPath, toJSON, typeAt, unwrapped, urlOf, visible }
  from "./schema.js";

/** The pane of one place. */
export class Editor {
  #fields = [];
  #page;

  constructor(element, parts) {
    this.element = element;
    this.#page = parts;
    configure(parts);
    this.#page.live.addEventListener("change", ({ detail }) => this.#onChange(detail));
    this.#page.live.addEventListener("status", () => this.render());
    addEventListener("session", () => this.show(this.path));
  }

  /** Returns the places that the pane shows, with whether their ETag suffices. */
  wanted() {
    const wanted = new Map(this.#fields.map((field) => [field.path, ["list", "dictionary",
      "struct"].includes(field.type.kind)]));
    if (this.path !== undefined && !wanted.has(this.path)) wanted.set(this.path, !isLeaf(this.type ?? {}));
    return wanted;
  }

  show(path) {
    if (path === undefined) return;
    this.path = path;
    this.type = typeAt(this.#page.model, path);
    this.#fields = [];
    if (!this.type) {
      return this.element.replaceChildren(this.#head(path), make("p", { className: "absence",
        textContent: "The model has no such place." }));
    }
    const base = unwrapped(this.type);
    const parts = [this.#head(path)];
    const isContainer = ["struct", "list", "dictionary"].includes(base.kind);
    if (!isContainer || this.type.kind === "optional") this.#fields.push(new Field(path, { isMain: true }));
    if (base.kind === "struct") {
      for (const member of base.members) this.#fields.push(new Field(join(path, member.name)));
    }
    parts.push(...this.#fields.map((field) => field.element));
    if (mayWrite() && !this.type.isReadOnly) {
      if (base.kind === "list" || base.kind === "dictionary") parts.push(this.#adder(path, base));
      const parent = unwrapped(typeAt(this.#page.model, parentOf(path)) ?? {});
      if (path && ["list", "dictionary"].includes(parent.kind) && !typeAt(this.#page.model,
        parentOf(path)).isComputed) {
        parts.push(this.#elementActions(path, parent));
      }
    }
    this.foot = make("footer", { className: "place-foot" });
    parts.push(this.foot);
    this.element.replaceChildren(...parts);
    this.#showFoot();
  }

  focus() {
    (this.#fields.find((field) => field.input) ?? this.#fields[0])?.focus();
    if (!this.element.contains(document.activeElement)) this.element.querySelector("button, a, input")?.focus();
  }

  /** Writes the opposite of a Bool; returns whether the place is one. */
  toggle() {
    const [field] = this.#fields;
    if (field?.path !== this.path || unwrapped(field.type).kind !== "bool" || !field.input) return false;
    field.write(String(!field.place.value));
    return true;
  }

  saveAll() {
    for (const field of this.#fields) field.save();
  }

  render() {
    for (const field of this.#fields) field.render();
    if (this.foot) this.#showFoot();
  }

  #onChange(changes) {
    const changed = new Set(changes.map((change) => change.path));
    for (const field of this.#fields) if (changed.has(field.path)) field.render();
    if (changed.has(this.path)) this.#showFoot();
  }

  #head(path) {
    const crumbs = make("nav", { className: "crumbs", "aria-label": "Path" }, make("a", { href: "#",
      textContent: "state" }));
    let current = "";
    for (const part of segments(path)) {
      current = join(current, part);
      crumbs.append(" / ", make("a", { href: `#${encodeURI(current)}`, title: part,
        textContent: this.#page.tree.titleOf(current) ? visible(this.#page.tree.titleOf(current)) : shortPath(join("",
          part)).slice(1) }));
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

  #adder(path, type) {
    const isList = type.kind === "list";
    const form = make("form", { className: "field adder", noValidate: true });
    const open = () => {
      let state = stateOf(type.element, undefined);
      const error = make("div", { className: "message", role: "status" });
      const name = isList ? null : make("input", { type: "text", "aria-label": "key", placeholder: "key",
        autocomplete: "off" });
      const input = control(type.element, state, (next) => { state = next; }, { label: "new element",
        id: `add-${encodeURIComponent(path)}` });
      form.onsubmit = async (event) => {
        event.preventDefault();
        const url = isList ? urlOf(path) : urlOf(join(path, name.value));
        const headers = isList ? {} : { "If-None-Match": "*" };
        try {
          const result = await request(isList ? "POST" : "PUT", url, { body: jsonOf(type.element, state), headers });
          this.#page.wrote(path, result);
          close();
        } catch (failure) {
          if (!(failure instanceof Failure)) throw failure;
          error.className = "message error";
          const { pointer } = failure.problem;
          error.textContent = visible(pointer ? `${pointer}: ${failure.message}` : failure.message);
          input.control.focus();
        }
      };
      form.replaceChildren(...(name ? [name] : []), input, error, make("div", { className: "actions" },
        make("button", { type: "submit", className: "primary", textContent: "Add" }), button("Cancel", close)));
      (name ?? input.control).focus();
    };
    const close = () => form.replaceChildren(button(isList ? `Add ${type.element.name ?? "element"}` : "Add entry",
      open));
    close();
    return form;
  }

  #elementActions(path, parent) {
    const actions = make("div", { className: "actions element-actions" });
    const collection = parentOf(path);
    const id = path.slice(collection.length);
    const move = async (difference) => {
      const position = this.#page.tree.positionOf(path);
      if (position === undefined || position + difference < 0) return;
      const body = toJSON([{ op: "move", from: id, path: `/${position + difference}` }]);
      const headers = { "Content-Type": "application/json-patch+json", Prefer: "return=minimal" };
      await this.#run(() => request("PATCH", urlOf(collection), { body, headers }), collection);
    };
    if (parent.kind === "list") actions.append(button("Move up", () => move(-1)), button("Move down", () => move(1)));
    actions.append(button("Remove", async () => {
      await this.#run(() => request("DELETE", urlOf(path)), path);
      this.#page.open(collection);
    }, { className: "danger" }));
    return actions;
  }

  async #run(write, path) {
    try {
      this.#page.wrote(path, await write());
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      notify(visible(error.message));
    }
  }

  #showFoot() {
    const place = this.#page.live.places.get(this.path);
    const parts = [make("span", { className: "etag", textContent: place?.etag && place.etag !== "-"
      ? `ETag ${place.etag.slice(0, 8)}…` : "" }),
      make("span", { textContent: place?.changes ? `changed ${place.changes}×` : "" }),
      this.#page.live.state === "offline" ? make("span", { className: "stale", textContent: "stale" }) : null];
    if (this.foot.childElementCount) return this.foot.firstElementChild.replaceChildren(...parts.filter(Boolean));
    const copies = Object.entries(copyTexts(this.path, this.#page.model)).map(([name, text]) => button(name,
      async () => {
      await navigator.clipboard.writeText(await text()).then(() => notify(`Copied: ${name}`),
        () => notify("The browser did not permit copying."));
    }));
    this.foot.append(make("span", { className: "place-facts" }, ...parts.filter(Boolean)),
      make("details", { className: "copies" }, make("summary", { textContent: "Copy as…" }), make("div", {},
        ...copies)));
  }
}
