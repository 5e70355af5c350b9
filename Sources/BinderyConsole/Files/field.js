// The control of one place: its confirmed value, a draft beside it, what the server answered, and conflicts.

import { button, Failure, make, mayWrite, read, request } from "./api.js";
import { draftOf, dropDraft, setDraft } from "./drafts.js";
import { control, editedType, jsonOf, stateOf } from "./form.js";
import { describe, isLeaf, parentOf, parseJSON, segments, summary, toJSON, typeAt, unwrapped, urlOf, visible }
  from "./schema.js";

/** The parts of the page that fields use: `{model, live, wrote}`. */
let page;
export const configure = (parts) => { page = parts; };

/** One place with its control. It shows the confirmed value, and a draft beside it. */
export class Field {
  #body = make("div", { className: "control" });
  #message = make("div", { className: "message", role: "status" });
  #conflict = make("div", { className: "conflict" });
  #actions = make("div", { className: "actions" });
  #isSaving = false;
  #shown;
  input = null;

  constructor(path, { isMain = false } = {}) {
    this.path = path;
    this.type = typeAt(page.model, path);
    this.name = segments(path).at(-1) ?? "state";
    this.id = `field-${encodeURIComponent(path)}`;
    const label = isMain
      ? make("label", { className: "visually-hidden", for: this.id, textContent: visible(this.name) })
      : make("label", { for: this.id }, make("a", { href: `#${encodeURI(path)}`, textContent: visible(this.name) }));
    const facts = make("span", { className: "facts", textContent: isMain ? "" : describe(this.type) });
    this.element = make("form", { className: "field", noValidate: true,
      onsubmit: (event) => { event.preventDefault(); this.save(); },
      onkeydown: (event) => this.#onKey(event) },
    make("div", { className: "field-head" }, label, facts, ...badges(this.type)),
    this.#body, this.#message, this.#conflict, this.#actions);
    this.element.dataset.path = path;
    this.render();
  }

  get place() {
    return page.live.places.get(this.path);
  }

  get draft() {
    return draftOf(this.path);
  }

  /** Shows a change of the server. A draft stays as it is. */
  render() {
    const { place, draft } = this;
    const key = toJSON([place?.etag, place?.value, place?.absent?.reason, Boolean(draft), mayWrite(), page.live.state]);
    if (draft && this.input && !this.mustRebuild) {
      if (place && "value" in place && sameJSON(jsonOf(this.#draftType(), draft.state),
        place.value)) return this.cancel();
      this.#showState();
    } else if (key !== this.#shown) {
      this.#build();
      this.#showState();
    }
    this.#shown = key;
  }

  #draftType() {
    return this.draft.isWhole ? this.type : editedType(this.type, this.draft.base);
  }

  #build() {
    this.mustRebuild = false;
    const { place, draft, type } = this;
    const hadFocus = this.#body.contains(document.activeElement);
    this.input = null;
    if (!place) return this.#body.replaceChildren(make("span", { className: "loading", textContent: "Loading…" }));
    if (place.absent) return this.#buildAbsent(place.absent);
    if (place.shallow || !isEditable(type) || !mayWrite()) {
      this.#body.replaceChildren(valueView(this.path, type, place));
    } else if (place.value === null && !draft && type.kind === "optional") {
      this.#body.replaceChildren(make("span", { className: "nil-value", textContent: "nil" }),
        button("Set", () => this.#begin({ of: stateOf(type.of, undefined) }, true)));
    } else {
      const edited = draft ? this.#draftType() : editedType(type, place.value);
      const state = draft?.state ?? stateOf(edited, place.value);
      this.input = control(edited, state, (next, isFinal) => this.#onInput(next, isFinal), { label: this.name,
        id: this.id });
      const clear = type.kind === "optional" && !draft ? button("Clear", () => this.write("null")) : null;
      this.#body.replaceChildren(this.input, ...(clear ? [clear] : []));
      if (hadFocus) this.focus();
    }
  }

  #buildAbsent(absent) {
    const why = absent.reason === "inactive-case" ? `The case “${visible(absent.activeCase ?? "")}” is active.`
      : absent.reason === "nil-optional" ? "An optional on the way is nil." : "There is no value at this path.";
    let present = parentOf(this.path);
    while (present && page.live.places.get(present)?.absent) present = parentOf(present);
    this.#body.replaceChildren(make("p", { className: "absence" }, why, " ",
      make("a", { href: `#${encodeURI(present)}`, textContent: `Open ${visible(present || "/")}` })));
    const canCreate = mayWrite() && isEditable(this.type) && ["inactive-case", "nil-optional"].includes(absent.reason);
    if (!canCreate) return;
    if (this.draft) {
      this.input = control(this.type, this.draft.state, (next) => this.#onInput(next), { label: this.name,
        id: this.id });
      this.#body.append(this.input);
    } else {
      this.#body.append(button(absent.reason === "inactive-case" ? "Switch case" : "Set",
        () => this.#begin(stateOf(this.type, undefined), true)));
    }
  }

  #begin(state, isWhole = false) {
    const { place } = this;
    setDraft(this.path, { state, isWhole, etag: place.etag, base: place.absent ? undefined : place.value });
    this.#build();
    this.#showState();
    this.focus();
  }

  #onInput(state, isFinal = false) {
    const { place, draft } = this;
    const next = { ...(draft ?? { etag: place.etag, base: place.value }), state, problem: undefined };
    if (isFinal && !draft && !place.absent) return this.write(jsonOf(editedType(this.type, place.value), state));
    setDraft(this.path, next);
    if (place && "value" in place && sameJSON(jsonOf(this.#draftType(), state), place.value)) {
      dropDraft(this.path);
    }
    this.#showState();
  }

  focus() {
    this.input?.control?.focus();
  }

  cancel() {
    dropDraft(this.path);
    this.#build();
    this.#showState();
  }

  /** Sends the draft. */
  save(etag = this.draft?.etag) {
    if (this.draft && page.live.state !== "offline") return this.write(jsonOf(this.#draftType(), this.draft.state),
      etag);
  }

  /**
   * Writes a value, on the condition that the place still has the ETag that was seen when editing began.
   */
  async write(body, etag = this.place?.etag) {
    if (this.#isSaving) return;
    const focused = document.activeElement;
    this.#isSaving = true;
    this.#showState();
    const headers = etag === "-" || !etag ? { "If-None-Match": "*" } : { "If-Match": `"${etag}"` };
    try {
      const result = await request("PUT", urlOf(this.path), { body, headers });
      dropDraft(this.path);
      this.#isSaving = false;
      this.mustRebuild = true;
      this.#shown = null;
      page.wrote(this.path, result);
      this.outcome = result.headers.get("Write-Outcome");
      this.#build();
      if (focused && !focused.isConnected) this.focus();
    } catch (error) {
      this.#isSaving = false;
      await this.#refused(error, body, etag);
    }
    this.#showState();
  }

  async #refused(error, body, etag) {
    const { place } = this;
    if (!(error instanceof Failure)) throw error;
    const type = this.draft ? this.#draftType() : editedType(this.type, place.value);
    const draft = this.draft ?? { state: stateFromJSON(type, body), etag, base: place?.value };
    if (error.status === 412) {
      const theirs = await read(this.path).catch(() => null);
      draft.theirs = theirs && { value: theirs.value, etag: theirs.etag?.replaceAll('"', "") };
      draft.theirs && (draft.author = await authorOf(this.path));
    } else if (error.status === 0 || error.status === 503) {
      draft.problem = { title: "The server does not answer. Whether this change is saved is not known yet." };
      read(this.path).then(({ value }) => {
        if (this.draft && sameJSON(body, value)) this.cancel();
        else if (this.draft) this.#onInput(this.draft.state);
      }, () => {});
    } else {
      draft.problem = { ...error.problem, title: error.message };
    }
    setDraft(this.path, draft);
    if (!this.input) this.#build();
    this.focus();
  }

  #showState() {
    const { draft, place } = this;
    const isOffline = page.live.state === "offline";
    this.element.classList.toggle("has-draft", Boolean(draft));
    this.element.classList.toggle("has-problem", Boolean(draft?.problem));
    if (this.input?.control) {
      this.input.control.setAttribute("aria-invalid", Boolean(draft?.problem));
      this.input.control.setAttribute("aria-describedby", this.#message.id = `${this.id}-message`);
    }
    const { title, pointer } = draft?.problem ?? {};
    const outcome = { adjusted: "The server adjusted your value; this is what it kept.",
      dropped: "The server did not keep your value; this is what it has." }[this.outcome];
    const text = title ? `${pointer ? `${pointer}: ` : ""}${title}`
      : draft && !draft.theirs && isChanged(draft, place)
      ? `⚠ now ${placeText(place, this.type)}, was ${summary(draft.base, this.type)}`
      : !draft && outcome ? outcome : "";
    this.#message.className = title ? "message error" : "message";
    if (this.#message.textContent !== visible(text)) this.#message.textContent = visible(text);
    this.#actions.replaceChildren();
    if (draft && !draft.theirs) {
      this.#actions.append(
        make("button", { type: "submit", className: "primary", disabled: this.#isSaving || isOffline,
          textContent: this.#isSaving ? "Saving…" : isOffline ? "Save (offline)" : "Save" }),
        button("Cancel", () => { this.cancel(); this.focus(); }));
    }
    this.#showConflict();
  }

  #showConflict() {
    const theirs = this.draft?.theirs;
    if (!theirs) return this.#conflict.replaceChildren();
    if (this.#conflict.dataset.etag === theirs.etag && this.#conflict.childElementCount) return;
    this.#conflict.dataset.etag = theirs.etag;
    const { draft } = this;
    const line = (name, value) => [make("dt", { textContent: name }), make("dd", { textContent: summary(value,
      this.type) })];
    const yours = jsonOf(this.#draftType(), draft.state);
    this.#conflict.replaceChildren(make("p", { role: "alert",
      textContent: "This value was changed while you were editing." }),
      make("dl", {}, ...line("base", draft.base), ...line(`theirs${draft.author ? ` (${draft.author})` : ""}`,
        theirs.value),
        ...line("yours", safeParse(yours))),
      make("div", { className: "actions" },
        button("Keep theirs", () => this.cancel()),
        button("Write mine", () => {
          this.#resolve();
          this.save();
        }, { className: "primary" }),
        button("Edit", () => {
          this.#resolve();
          this.#showState();
          this.focus();
        })));
  }

  /** From now on, the draft replaces the value of the others. */
  #resolve() {
    const { theirs, author, ...draft } = this.draft;
    setDraft(this.path, { ...draft, etag: theirs.etag, base: theirs.value });
  }

  #onKey(event) {
    if (event.key === "Escape" && this.draft) {
      event.stopPropagation();
      this.cancel();
      this.focus();
    } else if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.save();
    }
  }
}

const isChanged = (draft, place) => place && place.etag !== draft.etag && !sameValue(place.value, draft.base);
const sameValue = (left, right) => toJSON(left) === toJSON(right);
const placeText = (place, type) => (place.absent ? "absent" : summary(place.value, type));

function safeParse(text) {
  try {
    return parseJSON(text);
  } catch {
    return text;
  }
}

const sameJSON = (text, value) => sameValue(safeParse(text), value);
const stateFromJSON = (type, text) => stateOf(type, safeParse(text));

async function authorOf(path) {
  const query = new URLSearchParams({ path, before: page.live.revision + 2, limit: 1 });
  const { value } = await request("GET", `history?${query}`).catch(() => ({}));
  return value?.revisions?.at(-1)?.by;
}

/** Returns whether the place has a control, as opposed to rows of its own below. */
const isEditable = (type) => !type.isReadOnly && !type.isID && (isLeaf(type) || unwrapped(type).kind === "enum"
  || type.kind === "optional");

/** Returns what restricts the place, in words. */
export const badges = (type) => [
  type.isComputed ? make("span", { className: "badge", textContent: "computed" }) : null,
  type.isReadOnly || type.isID ? make("span", { className: "badge", textContent: "read-only" }) : null,
].filter(Boolean);

function valueView(path, type, place) {
  const base = unwrapped(type);
  if (["list", "dictionary", "struct"].includes(base.kind) && place.value !== null) {
    const count = place.count === undefined ? describe(base)
      : `${place.count.toLocaleString()} ${place.count === 1 ? "entry" : "entries"}`;
    return make("a", { href: `#${encodeURI(path)}`, className: "open", textContent: count });
  }
  const text = place.value === undefined ? "" : typeof place.value === "string" && base.kind === "text"
    ? visible(place.value) : summary(place.value, type);
  const view = make("output", { className: "plain", textContent: text.slice(0, 20_000) });
  if (base.kind === "date" && place.value) view.title = place.value;
  return view;
}
