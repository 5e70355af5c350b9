// The loaded elements of each collection, which are read page by page in both directions.

import { Failure, request } from "./api.js";
import { join, typeAt, unwrapped, urlOf } from "./schema.js";

const pageSize = 200;
/** The maximum number of elements of one collection that are kept; those far from the window are read again. */
const maximumLoaded = 1_000;
/** A collection that changes all the time is read again at most once in this time, in milliseconds. */
const rereadInterval = 1_000;

/** With another number of elements, the position of a window in the middle of a collection is not known any more. */
function setCount(loaded, count) {
  if (!loaded.atStart && loaded.count !== count) loaded.first = NaN;
  loaded.count = count;
}

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

  /** Forgets the elements of a collection whose changes are not known any more. */
  forget(path) {
    this.#loaded.delete(path);
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
    return typeAt(this.#model, path).kind !== "list";
  }

  async #page(path, query, limit = pageSize) {
    const type = unwrapped(typeAt(this.#model, path));
    const isWhole = this.#isWhole(path);
    const { value, headers } = await request("GET", urlOf(path) + (isWhole ? "" : `?limit=${limit}${query}`));
    const ids = Array.isArray(value) ? value.map((element) => String(element[type.element.id]))
      : Object.keys(value ?? {});
    const { title } = type.element;
    // Elements that are only counted need no titles.
    if (title && limit === pageSize && Array.isArray(value)) {
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
      setCount(loaded, page.count);
      if (end === "after") {
        loaded.items.push(...page.ids);
        loaded.atEnd = !page.hasNext;
        // What has no pages cannot be read again in parts.
        const surplus = this.#isWhole(path) ? 0 : loaded.items.length - maximumLoaded;
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
        setCount(loaded, page.count);
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

  /** Returns the position of an element, the number of elements, and an ETag of the collection that has them. */
  async findPosition(path, id) {
    const isWhole = this.#isWhole(path);
    const { etag } = await request("HEAD", urlOf(path));
    let position = 0;
    let count;
    for (let edge = id; edge !== undefined;) {
      const page = await this.#page(path, `&before=${encodeURIComponent(edge)}`, 1_000);
      position += isWhole ? page.ids.indexOf(id) : page.ids.length;
      count = page.count;
      edge = page.hasPrevious ? page.ids[0] : undefined;
    }
    const loaded = this.#loaded.get(path);
    const index = loaded?.items.indexOf(id);
    if (index >= 0) loaded.first = position - index;
    this.#changed();
    return { position, count, etag };
  }

  retry() {
    for (const [path, loaded] of this.#loaded) if (loaded.failure) this.reread(path);
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}
