// The loaded elements of each collection, which are read page by page in both directions.

import { Failure, request } from "./api.js";
import { join, typeAt, unwrapped, urlOf } from "./schema.js";

const pageSize = 200;
/** The maximum number of elements of one collection that are kept; those far from the window are read again. */
const maximumLoaded = 1_000;
/** A collection that changes all the time is read again at most once in this time, in milliseconds. */
const rereadInterval = 1_000;

export class Collections extends EventTarget {
  titles = new Map();
  /** Path → `{items, first, atStart, atEnd, count, failure}`; `first` is the position of the first item, or NaN. */
  #loaded = new Map();
  #model;

  constructor(model) {
    super();
    this.#model = model;
  }

  has(path) {
    return this.#loaded.has(path);
  }

  peek(path) {
    return this.#loaded.get(path);
  }

  /** Returns what is loaded of a collection, and begins to read it. */
  get(path) {
    if (!this.#loaded.has(path)) {
      this.#loaded.set(path, { items: [], first: 0, atStart: true, readAt: 0 });
      this.load(path, "after");
    }
    return this.#loaded.get(path);
  }

  /** Returns whether a collection has no pages: a dictionary, or a list in an optional, which is a value. */
  #isWhole(path) {
    const type = typeAt(this.#model, path);
    return type.kind === "optional" || type.kind === "dictionary";
  }

  async #page(path, query) {
    const type = unwrapped(typeAt(this.#model, path));
    const isWhole = this.#isWhole(path);
    const { value, headers } = await request("GET", urlOf(path) + (isWhole ? "" : `?limit=${pageSize}${query}`));
    const ids = Array.isArray(value) ? value.map((element) => String(element[type.element.id]))
      : Object.keys(value ?? {});
    const { title } = type.element;
    if (title && Array.isArray(value)) {
      value.forEach((element, index) => this.titles.set(join(path, ids[index]), element[title]));
    }
    const links = headers.get("Link") ?? "";
    const count = Number(headers.get("Collection-Count") ?? ids.length);
    return { ids, count, hasNext: links.includes('rel="next"'), hasPrevious: links.includes('rel="prev"') };
  }

  async load(path, end) {
    const loaded = this.#loaded.get(path);
    if (!loaded || loaded.isLoading) return;
    loaded.isLoading = true;
    const edge = end === "after" ? loaded.items.at(-1) : loaded.items[0];
    try {
      const page = await this.#page(path, edge === undefined ? "" : `&${end}=${encodeURIComponent(edge)}`);
      loaded.count = page.count;
      if (end === "after") {
        loaded.items.push(...page.ids);
        loaded.atEnd = !page.hasNext;
        const surplus = loaded.items.length - maximumLoaded;
        if (surplus > 0) {
          for (const id of loaded.items.splice(0, surplus)) this.titles.delete(join(path, id));
          loaded.first += surplus;
          loaded.atStart = false;
        }
      } else {
        loaded.items.unshift(...page.ids);
        loaded.atStart = !page.hasPrevious;
        loaded.first = loaded.atStart ? 0 : loaded.first - page.ids.length;
        if (loaded.items.length > maximumLoaded) {
          for (const id of loaded.items.splice(maximumLoaded)) this.titles.delete(join(path, id));
          loaded.atEnd = false;
        }
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // If the element at the edge has gone, the window is read from the start. Else the next change reads it again.
      if (error.status === 404 && edge !== undefined) this.#loaded.delete(path);
      else Object.assign(loaded, { atStart: true, atEnd: true, failure: error.message });
    } finally {
      loaded.isLoading = false;
      loaded.readAt = performance.now();
      this.#changed();
    }
  }

  /** Reads the loaded elements of a collection again, in the background. */
  async reread(path) {
    const loaded = this.#loaded.get(path);
    if (!loaded || loaded.isStale) return;
    loaded.isStale = true;
    const wait = Math.max(100, loaded.readAt + rereadInterval - performance.now());
    await new Promise((resume) => setTimeout(resume, wait));
    loaded.isStale = false;
    if (this.#loaded.get(path) !== loaded) return;
    if (loaded.isLoading) return this.reread(path);
    loaded.isLoading = true;
    try {
      let items = loaded.atStart ? [] : loaded.items.slice(0, 1);
      const wanted = Math.max(loaded.items.length, pageSize);
      for (let hasNext = true; hasNext && items.length < wanted;) {
        const after = items.length ? `&after=${encodeURIComponent(items.at(-1))}` : "";
        const page = await this.#page(path, after);
        items = items.concat(page.ids);
        hasNext = page.hasNext;
        loaded.count = page.count;
        loaded.atEnd = !hasNext;
      }
      loaded.items = items;
      loaded.failure = undefined;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.status === 404) this.#loaded.delete(path);
      else loaded.failure = error.message;
    } finally {
      loaded.isLoading = false;
      loaded.readAt = performance.now();
      this.#changed();
    }
  }

  /** Reads the page before and the page after an element, or a collection that has no pages. */
  async loadAround(path, id) {
    const loaded = this.#loaded.get(path);
    if (loaded?.items.includes(id)) return;
    const key = encodeURIComponent(id);
    try {
      if (this.#isWhole(path)) {
        const { ids, count } = await this.#page(path, "");
        this.#loaded.set(path, { items: ids, first: 0, atStart: true, atEnd: true, count, readAt: performance.now() });
        return;
      }
      const [before, after] = await Promise.all([this.#page(path, `&before=${key}`), this.#page(path,
        `&after=${key}`)]);
      this.#loaded.set(path, {
        items: [...before.ids, id, ...after.ids], first: before.hasPrevious ? NaN : 0, atStart: !before.hasPrevious,
        atEnd: !after.hasNext, count: after.count, readAt: performance.now(),
      });
    } catch {
      // There is no such element: the editor says so.
    }
  }

  /** Counts the elements before a loaded one, whose collection was read from its middle. */
  async findPosition(path, id) {
    const loaded = this.#loaded.get(path);
    let position = 0;
    for (let edge = id; edge !== undefined;) {
      const { value, headers } = await request("GET", `${urlOf(path)}?limit=1000&before=${encodeURIComponent(edge)}`);
      position += value.length;
      const hasPrevious = headers.get("Link")?.includes('rel="prev"');
      edge = hasPrevious ? value[0]?.[unwrapped(typeAt(this.#model, path)).element.id] : undefined;
    }
    const index = loaded?.items.indexOf(id);
    if (index >= 0) loaded.first = position - index;
    this.#changed();
    return position;
  }

  retry() {
    for (const [path, loaded] of this.#loaded) if (loaded.failure) this.reread(path);
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
