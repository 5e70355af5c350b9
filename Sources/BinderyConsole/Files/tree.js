// The tree of places: a virtual window of rows, over the loaded pages of each collection.

import { make } from "./api.js";
import { Collections } from "./collections.js";
import { activeCase, countOf, countText, isLeaf, isShallow, join, parentOf, segments, step, summary, typeAt,
  unwrapped, visible } from "./schema.js";

const overscan = 6;
/** Whether the page is used with a finger, which needs larger targets. */
const coarse = matchMedia("(pointer: coarse)");
export const phone = matchMedia("(max-width: 719px)");
const flashTime = 1_000;

export class Tree extends EventTarget {
  selected = "";
  #rows = [];
  #index = new Map();
  #elements = new Map();
  #expanded = new Set([""]);
  #collections;
  #flashes = new Map();
  #frame = 0;
  #isStructureStale = true;

  constructor(element, model, live) {
    super();
    this.element = element;
    this.model = model;
    this.live = live;
    this.#collections = new Collections(model);
    this.#collections.addEventListener("change", () => this.refresh());
    this.spacer = make("div", { className: "spacer", role: "rowgroup" });
    element.append(this.spacer);
    element.addEventListener("scroll", () => this.#schedule(), { passive: true });
    new ResizeObserver(() => this.#schedule()).observe(element);
    element.addEventListener("keydown", (event) => this.#onKey(event));
    element.addEventListener("click", (event) => this.#onClick(event));
    live.addEventListener("change", ({ detail }) => this.#onChange(detail));
    live.addEventListener("forget", ({ detail }) => this.#collections.forget(detail));
    live.addEventListener("status", () => live.state === "live" && this.#collections.retry());
    coarse.addEventListener("change", () => this.refresh());
    this.refresh();
  }

  get rowHeight() {
    return coarse.matches ? 44 : 30;
  }

  refresh() {
    this.#isStructureStale = true;
    this.#schedule();
  }

  #schedule() {
    this.#frame ||= requestAnimationFrame(() => { this.#frame = 0; this.#draw(); });
  }

  // Rows

  #rebuild() {
    this.#isStructureStale = false;
    const height = this.rowHeight;
    const anchor = this.#rows[Math.floor(this.element.scrollTop / height)]?.path;
    const offset = this.element.scrollTop - (this.#index.get(anchor) ?? 0) * height;
    const rows = [];
    const add = (path, name, type, level, position, size) => {
      const isExpandable = this.#isExpandable(path, type);
      const isExpanded = isExpandable && this.#expanded.has(path);
      rows.push({ path, name, type, level, position, size, isExpandable, isExpanded });
      if (isExpanded) addBelow(path, unwrapped(type), level + 1);
    };
    const addBelow = (path, type, level) => {
      if (type.kind === "struct") {
        type.members.forEach((member, index) =>
          add(join(path, member.name), member.name, member.type, level, index + 1, type.members.length));
      } else if (type.kind === "enum") {
        const name = this.#payloadCase(path, type);
        if (name) add(join(path, name), name, step(type, name), level, 1, 1);
      } else if (type.kind === "optional") {
        add(join(path, "some"), "some", type, level, 1, 1);
      } else {
        const loaded = this.#collections.get(path);
        const count = this.live.places.get(path)?.count ?? loaded.count;
        if (!loaded.atStart) rows.push({ path: `${path}/?before`, edge: "before", of: path, level });
        loaded.items.forEach((item, index) => add(join(path, item), item, type.element, level,
          loaded.first + index + 1, count));
        if (!loaded.atEnd) rows.push({ path: `${path}/?after`, edge: "after", of: path, level });
        else if (loaded.items.length === 0) rows.push({ path: `${path}/?none`, edge: "none", of: path, level });
      }
    };
    if (this.model.kind === "struct") addBelow("", this.model, 1);
    else add("", this.model.name ?? "state", this.model, 1, 1, 1);
    this.#rows = rows;
    this.#index = new Map(rows.map((row, index) => [row.path, index]));
    this.spacer.style.height = `${rows.length * height}px`;
    const moved = this.#index.get(anchor);
    if (anchor !== undefined && moved !== undefined && this.element.scrollTop > 0) {
      this.element.scrollTop = moved * height + offset;
    }
  }

  #isExpandable(path, type) {
    const base = unwrapped(type);
    const place = this.live.places.get(path);
    if (place?.absent || place?.value === null) return false;
    if (base.kind === "enum") return Boolean(this.#payloadCase(path, base));
    return !isLeaf(type.isNested ? type.of : type);
  }

  #payloadCase(path, type) {
    const name = activeCase(this.live.places.get(path)?.value ?? null);
    return step(type, name) ? name : null;
  }

  // Drawing

  #window() {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / this.rowHeight) - overscan);
    const last = Math.ceil((scrollTop + clientHeight) / this.rowHeight) + overscan;
    return { first, rows: this.#rows.slice(first, last) };
  }

  #draw() {
    if (this.#isStructureStale) this.#rebuild();
    const { first, rows } = this.#window();
    const drawn = rows.map((row, index) => [row, first + index]);
    // The row that Tab goes to is drawn also while it is scrolled away.
    const stop = this.#focusable();
    if (stop < first && this.#rows[stop]) drawn.unshift([this.#rows[stop], stop]);
    else if (stop >= first + rows.length && this.#rows[stop]) drawn.push([this.#rows[stop], stop]);
    const focused = this.#elements.get(document.activeElement?.dataset?.path);
    const kept = new Set(drawn.map(([row]) => row.path));
    for (const [path, element] of this.#elements) {
      if (kept.has(path)) continue;
      if (element === focused) this.element.focus();
      element.remove();
      this.#elements.delete(path);
    }
    // Screen readers read the rows in the order of the document.
    let next = this.spacer.firstChild;
    for (const [row, index] of drawn) {
      const element = this.#drawRow(row, index, index === stop);
      if (element === next) next = next.nextSibling;
      else this.spacer.insertBefore(element, next);
    }
    if (focused?.isConnected) focused.focus({ preventScroll: true });
    this.dispatchEvent(new Event("draw"));
    for (const row of rows) if (row.edge && row.edge !== "none") this.#collections.load(row.of, row.edge);
  }

  #drawRow(row, index, isStop) {
    let element = this.#elements.get(row.path);
    if (!element) {
      element = make("div", { className: "row", role: "row" },
        make("span", { className: "name", role: "gridcell" }), make("span", { className: "value", role: "gridcell" }),
        make("span", { className: "changes", "aria-hidden": "true" }));
      element.dataset.path = row.path;
      this.#elements.set(row.path, element);
    }
    element.style.transform = `translateY(${index * this.rowHeight}px)`;
    element.style.setProperty("--level", row.level);
    const [name, value, changes] = element.children;
    element.ariaLevel = row.level;
    if (row.edge) {
      element.classList.add("edge");
      name.textContent = row.edge === "none" ? this.#collections.peek(row.of)?.failure ?? "empty" : "Loading…";
      return element;
    }
    const place = this.live.places.get(row.path);
    element.ariaSetSize = row.size ?? -1;
    element.ariaPosInSet = row.position > 0 ? row.position : null;
    element.ariaExpanded = row.isExpandable ? row.isExpanded : null;
    element.ariaSelected = row.path === this.selected;
    element.tabIndex = isStop ? 0 : -1;
    element.classList.toggle("absent", Boolean(place?.absent));
    element.classList.toggle("expandable", row.isExpandable);
    const title = this.#title(row);
    const shown = visible(String(title ?? "").trim() ? String(title).slice(0, 200) : row.name);
    if (name.textContent !== shown) name.textContent = shown;
    name.title = row.path;
    const text = this.#valueText(row, place, title);
    if (value.textContent !== text) value.textContent = text;
    if (row.type.kind === "date" && place?.value) value.title = place.value;
    value.dataset.kind = place?.value === null ? "nil" : unwrapped(row.type).kind;
    changes.textContent = place?.changes ? `${place.changes}×` : "";
    return element;
  }

  titleOf(path) {
    const type = typeAt(this.model, path);
    return path && type ? this.#title({ path, type }) : undefined;
  }

  #title(row) {
    const type = unwrapped(row.type);
    if (type.kind !== "struct" || !type.title || unwrapped(typeAt(this.model,
      parentOf(row.path)) ?? {}).kind !== "list") return;
    const path = join(row.path, type.title);
    return this.live.places.get(path)?.value ?? this.#collections.titles.get(row.path);
  }

  #valueText(row, place, title) {
    const type = unwrapped(row.type);
    if (place?.absent) return place.absent.reason === "inactive-case" ? "inactive" : "absent";
    if (place?.value === null) return "nil";
    if (type.kind === "list" || type.kind === "dictionary") {
      const count = countOf(type, place) ?? this.#collections.peek(row.path)?.count;
      return count === undefined ? "" : countText(type, count);
    }
    if (type.kind === "struct") return title ? visible(row.name.slice(0, 8)) + (row.name.length > 8 ? "…" : "") : "";
    if (place?.isLarge) return "large value";
    return summary(place?.value, row.type);
  }

  wanted() {
    const wanted = new Map();
    for (const row of this.#window().rows) {
      if (row.edge) continue;
      wanted.set(row.path, isShallow(row.type));
      const type = unwrapped(row.type);
      if (this.#title(row) !== undefined) wanted.set(join(row.path, type.title), false);
    }
    // Structure comes from the expanded enums and optionals, also while they are scrolled away.
    for (const path of this.#expanded) {
      const type = path && typeAt(this.model, path);
      if (type && this.#index.has(path)) wanted.set(path, isShallow(type));
    }
    return wanted;
  }

  // Changes

  #onChange(changes) {
    for (const { path, previous, next } of changes) {
      const type = typeAt(this.model, path);
      if (!type) continue;
      if (previous && this.#collections.has(path)) {
        // A dictionary is read as a whole, which takes long, and its entries are not moved.
        const below = changes.filter((change) => change.path.startsWith(`${path}/`));
        if (unwrapped(type).kind === "list" || previous.count !== next.count || !below.length
          || below.some((change) => change.next.absent)) this.#collections.reread(path);
      }
      if (previous) this.#flash(path);
      const base = unwrapped(type);
      if (base.kind === "enum" || type.kind === "optional" || previous?.absent || next.absent
        || previous?.count !== next.count) {
        this.#isStructureStale = true;
      }
    }
    this.#schedule();
  }

  #flash(path) {
    const row = this.#rows[this.#index.get(path)];
    if (!row || row.isExpanded) return;
    const element = this.#elements.get(path);
    if (!element) return;
    const now = performance.now();
    const flash = this.#flashes.get(path);
    if (flash && now - flash.at < flashTime) {
      flash.count += 1;
      element.lastChild.dataset.rate = `${flash.count}/s`;
      return;
    }
    this.#flashes.set(path, { at: now, count: 1 });
    if (this.#flashes.size > 500) this.#flashes.delete(this.#flashes.keys().next().value);
    setTimeout(() => { delete element.lastChild.dataset.rate; }, flashTime);
    element.classList.remove("flash", "flash-again");
    // Two names of one animation: a change of the name starts it again without a forced layout.
    element.classList.add(element.dataset.flashed ? "flash-again" : "flash");
    element.dataset.flashed = element.dataset.flashed ? "" : "1";
  }

  // Navigation

  /** Returns the position of an element, the number of elements, and an ETag of the collection that has them. */
  positionOf(path) {
    return this.#collections.findPosition(parentOf(path), segments(path).at(-1));
  }

  /** Selects a place, loads and expands what leads to it, and shows its row. */
  async reveal(path, { focus = false } = {}) {
    const parts = segments(path);
    let current = "";
    for (const part of parts) {
      this.#expanded.add(current);
      const type = unwrapped(typeAt(this.model, current) ?? {});
      if (type.kind === "list" || type.kind === "dictionary") await this.#collections.loadAround(current, part);
      current = join(current, part);
    }
    this.selected = path;
    this.#rebuild();
    this.#scrollTo(this.#focusable());
    this.#draw();
    if (focus || this.element.contains(document.activeElement)) this.focusSelected();
  }

  /** Returns the index of the row of the selected place, or else of the nearest place above it, or of the first row. */
  #focusable() {
    for (let path = this.selected; path; path = parentOf(path)) if (this.#index.has(path)) return this.#index.get(path);
    return Math.max(0, this.#rows.findIndex((row) => !row.edge));
  }

  #scrollTo(index) {
    const height = this.rowHeight;
    const top = index * height;
    const { scrollTop } = this.element;
    // `clientHeight` is rounded up, which would cut the row.
    const shown = Math.floor(this.element.getBoundingClientRect().height);
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + height > scrollTop + shown) this.element.scrollTop = top + height - shown;
  }

  focusSelected() {
    const row = this.#rows[this.#focusable()];
    (this.#elements.get(row?.path) ?? this.element).focus({ preventScroll: true });
  }

  toggle(path, isExpanded = !this.#expanded.has(path)) {
    if (isExpanded) this.#expanded.add(path);
    else this.#expanded.delete(path);
    this.refresh();
  }

  #select(path, isOpened = false) {
    this.selected = path;
    const index = this.#index.get(path);
    if (index !== undefined) this.#scrollTo(index);
    this.#draw();
    this.focusSelected();
    this.dispatchEvent(new CustomEvent("select", { detail: { path, isOpened } }));
  }

  #onClick(event) {
    const element = event.target.closest(".row");
    const row = element && this.#rows[this.#index.get(element.dataset.path)];
    if (!row || row.edge) return;
    const mark = coarse.matches ? 44 : 24;
    const isOnMark = event.clientX < element.firstElementChild.getBoundingClientRect().left + mark;
    // A click expands; a second one collapses.
    const wasExpanded = row.isExpanded;
    const toggles = row.isExpandable && (isOnMark || !row.isExpanded || row.path === this.selected);
    if (toggles) this.toggle(row.path);
    // The elements are rows here and not on the page of their list: on a phone, the first tap shows them.
    const isList = ["list", "dictionary"].includes(unwrapped(row.type).kind);
    this.#select(row.path, !isOnMark && !(phone.matches && toggles && isList && !wasExpanded));
  }

  #onKey(event) {
    const index = this.selected === "" ? -1 : this.#focusable();
    const row = this.#rows[index];
    const page = Math.floor(this.element.clientHeight / this.rowHeight) - 1;
    const move = (target, direction) => {
      let next = Math.max(0, Math.min(this.#rows.length - 1, target));
      // Elements that are not loaded yet are not jumped over.
      const edge = direction > 0 ? "after" : "before";
      for (let each = index; (next - each) * direction > 0; each += direction) {
        if (this.#rows[each + direction]?.edge === edge) next = each;
      }
      while (this.#rows[next]?.edge && this.#rows[next + direction]) next += direction;
      if (this.#rows[next] && !this.#rows[next].edge) this.#select(this.#rows[next].path);
    };
    const actions = {
      ArrowDown: () => move(index + 1, 1),
      ArrowUp: () => move(index - 1, -1),
      PageDown: () => move(index + page, 1),
      PageUp: () => move(index - page, -1),
      Home: () => move(0, 1),
      End: () => move(this.#rows.length - 1, -1),
      ArrowRight: () => (row?.isExpandable && !row.isExpanded ? this.toggle(row.path) : move(index + 1, 1)),
      ArrowLeft: () => (row?.isExpanded ? this.toggle(row.path) : row?.level > 1 && this.#select(parentOf(row.path))),
      Enter: () => this.dispatchEvent(new Event("edit")),
      F2: () => this.dispatchEvent(new Event("edit")),
      " ": () => this.dispatchEvent(new Event("toggle")),
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}
