// The history with revert, and the log of what this page has received.

import { button, copy, Failure, isUnanswered, make, mayWrite, request, warn, writeButton } from "./api.js";
import { isComputedAt, parentOf, shortPath, summaries, summary, toJSON, typeAt, visible } from "./schema.js";

const pageSize = 50;
const maximumLog = 1_000;
const maximumShown = 100;

/** Creating a format takes longer than a row, so that all rows share one. */
const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium", hour12: false });
const time = (date) => timeFormat.format(new Date(date));

const placeLink = (path, target = path) => make("a", {
  href: `#${encodeURI(target)}`, title: path, textContent: shortPath(path) });

export class History {
  /** The newest revisions without a gap, newest first. */
  #revisions = [];
  /** The revision before which there are older ones that are not loaded; undefined if there are none. */
  #before;
  #filter = "";
  #rows = new Map();
  #limit = pageSize;
  #isStale = false;
  #request = null;
  /** Whether the rows can be reverted. */
  #mayWrite = mayWrite();

  constructor(element, { model, live, wrote }) {
    Object.assign(this, { element, model, live, wrote });
    this.list = make("ol", { className: "log", reversed: true });
    this.more = button("Older", () => {
      this.#limit += pageSize;
      this.#load();
    });
    this.below = make("input", { type: "checkbox", onchange: () => this.reload() });
    this.note = make("span");
    element.append(make("div", { className: "log-head" }, make("label", {}, this.below,
      "Only the selected place and below"), this.note),
      this.list, this.more);
    live.addEventListener("change", () => this.#update());
    live.addEventListener("history", () => this.reload());
    addEventListener("session", () => this.#mayWrite !== mayWrite() && this.reload());
  }

  select(path) {
    const hadFilter = this.#hasFilter();
    this.#filter = path;
    const isComputed = isComputedAt(this.model, path);
    this.below.disabled = isComputed || !typeAt(this.model, path);
    this.note.textContent = isComputed ? "The history has stored values only; this place is computed." : "";
    if (hadFilter || this.#hasFilter()) this.reload();
  }

  #hasFilter() {
    return this.below.checked && !this.below.disabled;
  }

  reload() {
    this.#mayWrite = mayWrite();
    this.#revisions = [];
    this.#before = undefined;
    this.#rows.clear();
    this.list.replaceChildren();
    this.#limit = pageSize;
    return this.#load();
  }

  /** Reads new revisions soon, at most once a second. */
  #update() {
    if (this.#isStale || this.element.hidden) return;
    this.#isStale = true;
    setTimeout(() => { this.#isStale = false; this.#load(); }, this.#revisions.length ? 1_000 : 0);
  }

  /** Reads the new revisions, and older ones until there are as many as are shown. */
  async #load() {
    this.#request?.abort();
    const { signal } = (this.#request = new AbortController());
    try {
      await this.#read(signal);
      while (this.#before && this.#revisions.length < this.#limit) await this.#read(signal, this.#before);
    } catch (error) {
      if (error.name !== "AbortError" && error instanceof Failure && error.status) warn(error.message);
    }
  }

  /** Reads a page: the newest one, or the one before a revision. */
  async #read(signal, before) {
    const query = new URLSearchParams({ limit: pageSize, before: before ?? Number.MAX_SAFE_INTEGER });
    if (this.#hasFilter()) query.set("path", this.#filter || "/");
    const { value, headers } = await request("GET", `history?${query}&ids`, { signal });
    const id = headers.get("State-History");
    const next = Number(headers.get("Link")?.match(/[?&]before=(\d+)/)?.[1] ?? 0) || undefined;
    // If there is a gap between the newest page and the known revisions, those are read again.
    if (!before && next > (this.#revisions[0]?.revision ?? 0) + 1) this.#revisions = [];
    if (before || this.#revisions.length === 0) this.#before = next;
    const known = new Set(this.#revisions.map((each) => each.revision));
    const added = value.revisions.filter((each) => !known.has(each.revision)).map((each) => ({ ...each, id }));
    const all = [...this.#revisions, ...added].sort((left, right) => right.revision - left.revision);
    this.#revisions = all.slice(0, this.#limit);
    if (all.length > this.#limit) this.#before = this.#revisions.at(-1).revision;
    this.more.hidden = !this.#before;
    this.#draw();
  }

  #draw() {
    const empty = this.list.querySelector(".empty");
    if (this.#revisions.length > 0) empty?.remove();
    else if (!empty) {
      this.list.replaceChildren(make("li", { className: "empty", textContent:
        this.#hasFilter() ? "No stored revision has changed this place." : "Nothing has been written yet." }));
      return;
    }
    const numbers = new Set(this.#revisions.map((each) => each.revision));
    for (const [revision, row] of this.#rows) {
      if (numbers.has(revision)) continue;
      row.remove();
      this.#rows.delete(revision);
    }
    let next = this.list.firstElementChild;
    for (const each of this.#revisions) {
      const row = this.#rows.get(each.revision) ?? this.#row(each);
      this.#rows.set(each.revision, row);
      if (row === next) next = next.nextElementSibling;
      else this.list.insertBefore(row, next);
    }
  }

  #row({ revision, id, at, by, patch, undo }) {
    const old = new Map(undo.map((operation) => [operation.path, operation]));
    const changes = patch.slice(0, 4).map((operation) => {
      const type = typeAt(this.model, operation.path);
      const before = old.get(operation.path);
      const texts = operation.op === "remove" ? [`removed ${summary(before?.value, type)}`]
        : operation.op === "add" ? [`added ${summary(operation.value, type)}`]
        : operation.op === "move" ? ["moved"]
        : summaries([before?.value, operation.value], type);
      // Isolated, texts that are written from right to left keep their order.
      const parts = texts.flatMap((textContent, index) => [index ? " → " : " ", make("bdi", { textContent })]);
      const target = operation.op === "remove" ? parentOf(operation.path) : operation.path;
      return make("span", { className: "change" }, placeLink(operation.path, target), ...parts);
    });
    if (patch.length > 4) changes.push(make("span", { className: "change",
      textContent: `and ${(patch.length - 4).toLocaleString()} more` }));
    const item = make("li", {}, make("span", { className: "revision", textContent: `r${revision}` }),
      make("time", { dateTime: at, title: at, textContent: time(at) }), make("span", { className: "author",
        textContent: visible(by) }),
      make("span", { className: "change-list" }, ...changes));
    if (mayWrite()) {
      item.append(writeButton("Revert", () => this.#preview(item, revision, id, undo), { className: "small" }));
    }
    return item;
  }

  #preview(item, revision, id, undo) {
    if (item.querySelector(".preview")) return;
    const box = make("div", { className: "preview" },
      make("ul", {}, ...undo.slice(0, 10).map((operation) => make("li", {
        textContent: visible(`${operation.op} ${operation.path}`
          + ("value" in operation ? ` ← ${summary(operation.value)}` : "")) })),
      ...(undo.length > 10 ? [make("li", { textContent: `and ${(undo.length - 10).toLocaleString()} more` })] : [])),
      make("div", { className: "actions" },
        writeButton(`Revert r${revision}`, () => this.revert(revision, id, box), { className: "primary" }),
        button("Cancel", () => { box.previousSibling.focus(); box.remove(); })));
    item.append(box);
    box.querySelector("button").focus();
  }

  /**
   * Reverts a revision of the history with an id: after an import or a restore, its number may be that of another one.
   *
   * @returns the revision that did so, 0 if it was refused, or undefined without an answer
   */
  async revert(revision, id, box) {
    try {
      const result = await request("POST", `history/${revision}/revert?${new URLSearchParams({ history: id })}`);
      this.wrote(result);
      box?.previousSibling?.focus();
      box?.remove();
      return result.revision;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (box) {
        box.firstChild.replaceWith(make("p", { className: "message error", role: "alert",
          textContent: visible(error.message) }));
      } else {
        warn(error.message);
      }
      return isUnanswered(error) ? undefined : 0;
    }
  }
}

export class WatchLog {
  #events = [];
  #isPaused = false;
  #filter = "";
  #frame = 0;

  constructor(element, { model, live }) {
    Object.assign(this, { element, model });
    this.list = make("ol", { className: "log" });
    const filter = make("input", { type: "search", placeholder: "Filter by path", "aria-label": "Filter by path",
      oninput: () => { this.#filter = filter.value; this.#draw(); } });
    const pause = button("Pause", () => {
      this.#isPaused = !this.#isPaused;
      pause.ariaPressed = this.#isPaused;
      this.#draw();
    }, { "aria-pressed": "false" });
    element.append(make("div", { className: "log-head" }, filter, pause, button("Copy NDJSON", () => {
      const lines = this.#shown().map(({ at, revision, path, value }) => toJSON({ at, revision, path, value }));
      copy(() => lines.join("\n"), "NDJSON");
    }), this.shown = make("span")), this.list);
    live.addEventListener("change", ({ detail }) => this.#add(detail));
  }

  #add(changes) {
    const at = new Date().toISOString();
    for (const { path, previous, next, revision } of changes) {
      if (!previous || next.shallow) continue;
      this.#events.push({ at, revision, path, value: next.absent ? undefined : next.value, absent: next.absent });
    }
    this.#events.splice(0, this.#events.length - maximumLog);
    if (!this.#isPaused) this.#schedule();
  }

  #schedule() {
    if (this.element.hidden) return;
    this.#frame ||= requestAnimationFrame(() => { this.#frame = 0; this.#draw(); });
  }

  #shown() {
    return this.#events.filter((event) => event.path.includes(this.#filter));
  }

  show() {
    this.#draw();
  }

  #draw() {
    const events = this.#shown();
    this.shown.textContent = events.length > maximumShown ? `the latest ${maximumShown} of ${
      events.length.toLocaleString()} events` : "";
    this.list.replaceChildren(...events.slice(-maximumShown).reverse().map(({ at, revision, path, value, absent }) =>
      make("li", {}, make("span", { className: "revision", textContent: `r${revision}` }),
        make("time", { dateTime: at, textContent: time(at) }), placeLink(path),
        make("span", { textContent: absent ? "absent" : summary(value, typeAt(this.model, path)) }))));
  }
}
