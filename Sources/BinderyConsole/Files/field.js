// The control of one place: its confirmed value, a draft beside it, what the server answered, and conflicts.
// Drafts survive changes of the server, scrolling, lost connections and reloads.

import { button, Failure, isUnanswered, make, mayWrite, newKey, read, request, writeButton } from "./api.js";
import { draftOf, dropDraft, setDraft } from "./drafts.js";
import { control, editedType, isSame, jsonOf, markInvalid, partAt, stateOf } from "./form.js";
import { badges, childPaths, drawConflict, isChanged, isEditable, mayRemove, readTheirs, sameValue, send,
  typedValue, unlessUnanswered, valueView } from "./place.js";
import { activeCase, describe, isComputedAt, isContainer, parentOf, parseJSON, segments, summaries, typeAt,
  unwrapped, visible } from "./schema.js";

/** The parts of the page that fields use: `{model, live, wrote}`. */
let page;
export const configure = (parts) => { page = parts; };

/**
 * One place with its control. It shows the confirmed value, and a draft beside it.
 *
 * The payload of an enum and the members of an optional have fields of their own, so that each write is small.
 */
export class Field {
  children = [];
  #below = make("div", { className: "below" });
  #body = make("div", { className: "control" });
  #message = make("div", { className: "message", role: "status" });
  #conflict = make("div", { className: "conflict" });
  #actions = make("div", { className: "actions" });
  #absence = make("p", { className: "absence" });
  #isSaving = false;
  /** Whether the draft is to be sent when the server has answered. */
  #savesAgain = false;
  #isRereading = false;
  #shown;
  #isAbsent;
  input = null;

  constructor(path, { isMain = false } = {}) {
    this.path = path;
    this.type = typeAt(page.model, path);
    this.name = segments(path).at(-1) ?? "state";
    this.id = `field-${encodeURIComponent(path)}`;
    // The head of the pane has the name and the type of the main field.
    const labels = isMain ? [] : [
      make("label", { for: this.id }, make("a", { href: `#${encodeURI(path)}`, textContent: visible(this.name) })),
      make("span", { className: "facts", textContent: describe(this.type) }), ...badges(this.type)];
    this.form = make("form", { className: "field", noValidate: true,
      onsubmit: (event) => { event.preventDefault(); this.save(); },
      onkeydown: (event) => this.#onKey(event) },
    make("div", { className: "field-head" }, ...labels),
    this.#body, this.#message, this.#conflict, this.#actions);
    this.form.dataset.path = path;
    this.element = make("div", {}, this.form, this.#below);
    this.render();
  }

  *all() {
    yield this;
    for (const child of this.children) yield* child.all();
  }

  get place() {
    return page.live.places.get(this.path);
  }

  get draft() {
    return draftOf(this.path);
  }

  render() {
    const { place, draft } = this;
    this.#showChildren();
    const key = [place?.etag, place?.value === undefined, place?.absent && presentAbove(this.path),
      place?.absent?.reason, Boolean(draft), mayWrite(), page.live.state].join();
    const isAbsent = Boolean(place?.absent);
    if (draft && this.input && !this.mustRebuild && isAbsent === this.#isAbsent) {
      if (this.#isDraftConfirmed()) return this.cancel();
      if (draft.sent && page.live.state === "live") this.#reread();
      if (isAbsent && key !== this.#shown) this.#showAbsence(place.absent);
      this.#showState();
    } else if (key !== this.#shown) {
      this.#build();
      this.#showState();
    }
    this.#shown = key;
    this.#isAbsent = isAbsent;
  }

  /** Returns whether the server has the value of the draft, which is then none, and has answered each write. */
  #isDraftConfirmed() {
    const { place, draft } = this;
    return !this.#isSaving && !draft.sent && place?.value !== undefined
      && isSame(this.#draftType(), draft.state, place.value);
  }

  #showChildren() {
    const paths = childPaths(this.path, this.type, this.place?.value);
    if (paths.join() === this.children.map((child) => child.path).join()) return;
    const hadFocus = this.#below.contains(document.activeElement);
    this.children = paths.map((path) => new Field(path));
    this.#below.replaceChildren(...this.children.map((child) => child.element));
    if (hadFocus) this.focus();
  }

  #draftType() {
    return this.draft.isWhole ? this.type : editedType(this.type);
  }

  #build() {
    const { activeElement } = document;
    const { selectionStart, selectionEnd, scrollTop } = activeElement;
    const hadFocus = this.#body.contains(activeElement);
    this.#draw();
    if (!hadFocus || this.#body.contains(document.activeElement)) return;
    this.focus();
    // Other controls than those of texts have no caret.
    if (selectionStart == null || document.activeElement.selectionStart == null) return;
    document.activeElement.setSelectionRange(selectionStart, selectionEnd);
    document.activeElement.scrollTop = scrollTop;
  }

  #draw() {
    this.mustRebuild = false;
    const { place, draft, type } = this;
    this.input = null;
    const clear = writeButton("Clear", () => this.write("null"));
    if (!place) return this.#body.replaceChildren(make("span", { className: "loading", textContent: "Loading…" }));
    if (place.absent) return this.#buildAbsent(place.absent);
    if (place.isLarge && place.value === undefined) return this.#readLarge();
    if (type.kind === "optional" && isContainer(type) && place.value !== null && !draft && mayWrite()
      && !type.isReadOnly) {
      this.#body.replaceChildren(valueView(this.path, type, place), clear);
    } else if (place.shallow || !isEditable(type) || !mayWrite()) {
      this.#body.replaceChildren(valueView(this.path, type, place));
    } else if (place.value === null && !draft && type.kind === "optional" && !type.isNested) {
      this.#body.replaceChildren(make("span", { className: "nil-value", textContent: "nil" }),
        writeButton("Set", () => this.#begin({ of: stateOf(type.of, undefined) }, true)));
    } else {
      const edited = draft ? this.#draftType() : editedType(type, place.value);
      const state = draft?.state ?? stateOf(edited, place.value);
      this.input = control(edited, state, (next, isFinal) => this.#onInput(next, isFinal), { label: this.name,
        id: this.id, hidesPayload: !draft && this.children.length });
      this.#body.replaceChildren(this.input);
      if (type.kind === "optional" && !type.isNested && !draft) this.#body.append(clear);
    }
  }

  #readLarge() {
    this.#body.replaceChildren(make("span", { className: "loading", textContent: "Loading…" }));
    read(this.path).then((result) => this.#take(result), (error) => {
      this.#body.replaceChildren(make("p", { className: "error", textContent: visible(error.message) }));
    });
  }

  #take({ value, etag, revision }) {
    if (etag && value !== undefined) page.live.take(this.path, value, etag, revision);
  }

  /** Says why there is no value, and leads to the nearest place above that is present. */
  #showAbsence(absent) {
    const why = { "inactive-case": `The case “${visible(absent.activeCase ?? "")}” is active.`,
      "nil-optional": "An optional that contains this place is nil.",
      "no-such-element": "There is no such element: it was removed, or it never existed." }[absent.reason]
      ?? "There is no value at this path.";
    const present = presentAbove(this.path);
    this.#absence.replaceChildren(why, " ",
      make("a", { href: `#${encodeURI(present)}`, textContent: `Open ${visible(present || "/")}` }));
  }

  #buildAbsent({ reason }) {
    this.#showAbsence(this.place.absent);
    this.#body.replaceChildren(this.#absence);
    if (!mayWrite() || !isEditable(this.type)) return;
    if (this.draft) {
      this.input = control(this.#draftType(), this.draft.state, (next) => this.#onInput(next), { label: this.name,
        id: this.id });
      this.#body.append(this.input);
    }
    // A draft that began here is written by Save.
    if (this.draft?.etag !== "-" && (this.type.isFurther
      || ["inactive-case", "nil-optional"].includes(reason) && canCreate(this.path, presentAbove(this.path)))) {
      this.#body.append(writeButton(reason === "inactive-case" ? "Switch case" : "Set",
        () => (this.draft ? this.#replace(this.place) : this.#begin(stateOf(this.type, undefined), true))));
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
    const next = { ...(draft ?? { etag: place.etag, base: place.value, isWhole: place.value === null }), state,
      problem: undefined };
    if (isFinal && !draft && !place.absent && !this.#isSaving && page.live.state !== "offline") {
      return this.write(jsonOf(editedType(this.type, place.value), state));
    }
    setDraft(this.path, next);
    this.#savesAgain ||= isFinal && this.#isSaving;
    if (this.#isDraftConfirmed()) dropDraft(this.path);
    this.#showState();
  }

  focus() {
    if (!this.input && this.children.length) return this.children[0].focus();
    (this.input?.control ?? this.#body.querySelector("button") ?? this.#body.querySelector("a")
      ?? this.element.closest("[tabindex]"))?.focus();
  }

  cancel() {
    dropDraft(this.path);
    this.#build();
    this.#showState();
  }

  save(etag = this.draft?.etag) {
    const { draft } = this;
    if (!draft || page.live.state === "offline") return;
    try {
      this.write(jsonOf(this.#draftType(), draft.state), etag);
    } catch ({ message }) {
      setDraft(this.path, { ...draft, problem: { title: message } });
      this.focus();
      this.#showState();
    }
  }

  /**
   * Writes a value, on the condition that the place still has the ETag that was seen when editing began.
   */
  async write(body, etag = this.place?.etag) {
    if (this.#isSaving) {
      this.#savesAgain = true;
      return;
    }
    // Nil and another case remove what is there.
    const { type, place } = this;
    if ((type.isNested || activeCase(parseJSON(body)) !== activeCase(place?.value)) && !mayRemove(type, place)) {
      if (!this.draft) this.#build();
      return;
    }
    const focused = document.activeElement;
    const sent = this.draft;
    this.#isSaving = true;
    this.#showState();
    // A repetition of a write without an answer has the same key.
    const last = sent?.sent;
    const write = last?.body === body && last.etag === etag ? last
      : { body, etag, key: newKey(), base: place?.value };
    try {
      const result = await send(this.path, write);
      // What was typed while the server answered is a draft of its own.
      if (this.draft && this.draft !== sent) {
        setDraft(this.path, { ...this.draft, sent: undefined, etag: result.etag, base: result.value });
      } else dropDraft(this.path);
      this.#isSaving = false;
      this.mustRebuild = !this.draft;
      this.#shown = null;
      this.#take(result);
      page.wrote(result);
      this.outcome = result.headers.get("Write-Outcome");
      this.#showChildren();
      if (!this.draft) this.#build();
      this.#showState();
      if (focused !== document.body && document.activeElement === document.body) this.focus();
    } catch (error) {
      this.#isSaving = false;
      this.#savesAgain = false;
      await this.#refused(error, write);
    }
    this.#showState();
    if (this.#savesAgain) {
      this.#savesAgain = false;
      this.save();
    }
  }

  async #refused(error, write) {
    if (!(error instanceof Failure)) throw error;
    const isNew = !this.draft;
    const draft = { ...(this.draft ?? this.#draftOf(write)), sent: undefined, problem: undefined };
    if (error.status === 412) {
      const theirs = await readTheirs(this.path, page.live.revision)
        .catch(({ message }) => { draft.problem = { title: message }; });
      if (theirs) Object.assign(draft, { theirs, author: await authorOf(this.path) });
    } else if (isUnanswered(error)) {
      draft.problem = { isUnknown: true, title: "The server does not answer. Whether this is saved is not known yet." };
      draft.sent = write;
    } else {
      draft.problem = { ...error.problem, title: error.message };
    }
    setDraft(this.path, draft);
    // A switch becomes a draft as it is, but an optional that could not be cleared needs another control.
    if (!this.input || isNew) this.#build();
    (partAt(this.id, draft.problem?.pointer) ?? this).focus();
    this.#reread();
  }

  /** Returns the draft that a refused write becomes. */
  #draftOf({ body, etag, base }) {
    const value = parseJSON(body);
    const isWhole = value === null || base === null;
    return { state: stateOf(isWhole ? this.type : editedType(this.type), value), isWhole, etag, base };
  }

  /**
   * Finds out whether a write without an answer was done. If the place has its value, the write is sent again: the
   * server repeats its answer, which says what to undo, or refuses it because another client wrote the same value.
   */
  async #reread() {
    const { sent } = this.draft ?? {};
    if (!sent || this.#isRereading) return;
    this.#isRereading = true;
    try {
      const { value, etag } = await read(this.path).catch(unlessUnanswered);
      const isDone = value !== undefined && sameValue(value, parseJSON(sent.body));
      const result = isDone && await send(this.path, sent).catch(unlessUnanswered);
      const { draft } = this;
      if (draft?.sent !== sent) return;
      if (result.revision) page.wrote(result);
      const { problem, ...rest } = draft;
      // What was typed since then stays a draft.
      if (isDone && sameValue(typedValue(this.#draftType(), draft.state), value)) this.cancel();
      else if (isDone) setDraft(this.path, { ...rest, sent: undefined, etag, base: value });
      else {
        setDraft(this.path, { ...rest, sent: undefined,
          problem: problem && { title: "The server did not answer. The change is not saved yet." } });
        this.#showState();
      }
    } catch {
      // It is read again with the next connection.
    } finally {
      this.#isRereading = false;
    }
  }

  #showState() {
    const { draft, place } = this;
    const isOffline = page.live.state === "offline";
    this.form.classList.toggle("has-draft", Boolean(draft));
    this.form.classList.toggle("has-problem", Boolean(draft?.problem));
    const { title, pointer } = draft?.problem ?? {};
    if (this.input?.control) {
      this.input.control.setAttribute("aria-describedby", this.#message.id = `${this.id}-message`);
      markInvalid(this.#body, title && (partAt(this.id, pointer) ?? this.input.control), this.#message.id);
    }
    const outcome = { adjusted: "The server adjusted your value; this is what it kept.",
      dropped: "The server did not keep your value; this is what it has." }[this.outcome];
    const [now, was] = draft && !draft.theirs && isChanged(draft, place)
      ? summaries([place.value, draft.base], this.type) : [];
    const text = title ? `${pointer ? `${pointer}: ` : ""}${title}`
      : was !== undefined ? `⚠ now ${place.absent ? "absent" : now}, was ${was || "absent"}`
      : !draft && outcome ? outcome : "";
    this.#message.className = title ? "message error" : "message";
    if (this.#message.textContent !== visible(text)) this.#message.textContent = visible(text);
    if (!draft || draft.theirs) this.#actions.replaceChildren();
    else if (!this.#actions.hasChildNodes()) {
      this.#actions.append(make("button", { type: "submit", className: "primary" }),
        button("Cancel", () => { this.cancel(); this.focus(); }));
    }
    this.#actions.hidden = !mayWrite();
    const save = this.#actions.firstChild;
    if (save) {
      save.disabled = this.#isSaving || isOffline;
      save.textContent = this.#isSaving ? "Saving…" : isOffline ? "Save (offline)" : "Save";
    }
    this.#showConflict();
  }

  #showConflict() {
    const { draft, place } = this;
    if (!draft?.theirs) return this.#conflict.replaceChildren();
    const { theirs } = draft;
    if (place?.revision > theirs.revision && place.etag !== theirs.etag) this.#rereadTheirs();
    const canWrite = theirs.etag !== "-" || canCreate(this.path, presentAbove(this.path));
    drawConflict(this.#conflict, this.type, draft, typedValue(this.#draftType(), draft.state), [
      button("Keep theirs", () => { this.cancel(); this.focus(); }),
      canWrite && writeButton("Write mine", () => this.#replace(this.draft.theirs), { className: "primary" }),
      button("Edit", () => {
        this.#resolve(this.draft.theirs);
        this.#showState();
        this.focus();
      })].filter(Boolean));
  }

  /** Reads the value of the others again, which has changed since the conflict. */
  async #rereadTheirs() {
    if (this.#isRereading) return;
    this.#isRereading = true;
    const before = this.draft.theirs;
    try {
      const theirs = await readTheirs(this.path, page.live.revision);
      const author = await authorOf(this.path);
      if (this.draft?.theirs === before) setDraft(this.path, { ...this.draft, theirs, author });
    } catch {
      // “Write mine” has the ETag of the value that is shown.
    } finally {
      this.#isRereading = false;
    }
  }

  /** From now on, the draft replaces the value of the others, or creates one. */
  #resolve({ etag, value }) {
    const { theirs, author, ...draft } = this.draft;
    setDraft(this.path, { ...draft, etag, base: value });
  }

  #replace(theirs) {
    this.#resolve(theirs);
    this.save();
  }

  #onKey(event) {
    // The key belongs to an input method.
    if (event.isComposing) return;
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

function presentAbove(path) {
  let present = parentOf(path);
  while (present && page.live.places.get(present)?.absent) present = parentOf(present);
  return present;
}

/** Returns whether a write to a place also creates those above it that are absent: it cannot create a struct. */
function canCreate(path, present) {
  for (let below = path, above; below !== present; below = above) {
    above = parentOf(below);
    const type = unwrapped(typeAt(page.model, above));
    // The label of a payload is a part of its case.
    if (type.kind === "struct" && (type.members.length > 1
      || unwrapped(typeAt(page.model, parentOf(above))).kind !== "enum")) return false;
  }
  return true;
}

/** Returns who has written a place last, if the history says so: it has stored values only. */
async function authorOf(path) {
  if (isComputedAt(page.model, path)) return;
  const query = new URLSearchParams({ path, before: page.live.revision + 2, limit: 1 });
  const { value } = await request("GET", `history?${query}`).catch(() => ({}));
  return value?.revisions?.at(-1)?.by;
}
