// One event stream for all places that the page shows, with the latest value or ETag of each.

import { loadSession, signIn, warn } from "./api.js";
import { parseJSON } from "./schema.js";

/** The time for which additions are collected before a new stream is opened, in milliseconds. */
const collectingTime = 20;
/** The server sends a heartbeat every 15 s. Without bytes for this long, the connection is dead. */
const silenceLimit = 40_000;
/** A stream watches places that are no longer shown until there are so many of them. */
const maximumUnused = 400;
const maximumPlaces = 1000;
/** The events that are kept one by one during a pause. */
const maximumHeld = 1000;
/** The time after which a hidden page ends its stream, in milliseconds. */
const hiddenTime = 10_000;
const retryDelays = { minimum: 500, maximum: 15_000 };

export class Live extends EventTarget {
  /** Path → `{value, count, etag, revision, absent, shallow}`; kept until the cache is full, for scrolling back. */
  places = new Map();
  state = "connecting";
  revision = 0;
  retryAt = 0;
  isPaused = false;
  held = 0;
  #wanted = new Map();
  #watched = new Map();
  #stream = null;
  #timer = 0;
  #silence = 0;
  #failures = 0;
  #hiding = 0;
  /** Whether the stream was ended because the page is hidden. */
  #isAway = false;
  #heldEvents = [];
  /** Places that the server does not know. */
  #refused = new Set();
  /** The latest change of each place in held events that were dropped. */
  #heldChanges = new Map();
  #history = "";

  constructor() {
    super();
    addEventListener("online", () => this.#open());
    addEventListener("offline", () => this.#fail());
    addEventListener("pageshow", (event) => event.persisted && this.#open());
    // All windows of a browser share six connections to a server. A hidden window needs none.
    const update = () => {
      clearTimeout(this.#hiding);
      if (document.hidden) this.#hiding = setTimeout(() => this.#release(), hiddenTime);
      else if (this.#isAway) this.#open();
    };
    document.addEventListener("visibilitychange", update);
    update();
  }

  /**
   * Watches these places and no others.
   *
   * @param wanted a map from path to whether only the ETag and the count are needed
   */
  watch(wanted) {
    this.#wanted = wanted;
    const isMissing = [...wanted].some(([path, shallow]) => !this.#watched.has(path)
      || (this.#watched.get(path) && !shallow));
    if (!isMissing && this.#watched.size <= wanted.size + maximumUnused) return;
    if (this.#timer || this.state === "offline") return;
    this.#timer = setTimeout(() => { this.#timer = 0; this.#open(); }, collectingTime);
  }

  pause(isPaused) {
    this.isPaused = isPaused;
    if (!isPaused) {
      const events = [...this.#heldChanges.values(), ...this.#heldEvents];
      this.#heldEvents = [];
      this.#heldChanges.clear();
      this.held = 0;
      for (const event of events) this.#apply(event);
    }
    this.dispatchEvent(new Event("status"));
  }

  /** Takes a value that a response contained, unless the stream has shown a newer one. */
  take(path, value, etag, revision) {
    if (revision < this.revision && !this.isPaused) return;
    this.#apply({ revision, changes: [{ path, value, etag }] });
  }

  #release() {
    this.#isAway = true;
    this.#setState("connecting");
    this.#stream?.abort();
    this.#stream = null;
    clearTimeout(this.#timer);
  }

  #setState(state) {
    if (state === this.state) return;
    this.state = state;
    this.dispatchEvent(new Event("status"));
  }

  async #open() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (this.#isAway && document.hidden) return;
    this.#isAway = false;
    const previous = this.#stream;
    const stream = new AbortController();
    this.#stream = stream;
    const watched = new Map([...this.#wanted].filter(([path]) => !this.#refused.has(path)).slice(0, maximumPlaces));
    this.#watched = watched;
    const places = [...watched].map(([path, shallow]) => {
      const known = this.places.get(path);
      const entry = { path: path || "/" };
      if (shallow) entry.shallow = true;
      if (known?.etag && (shallow || !known.shallow)) entry.have = known.etag;
      return entry;
    });
    if (places.length === 0) return;
    this.#listenForSilence(stream);
    try {
      const response = await fetch("events", {
        method: "POST", body: JSON.stringify(places), signal: stream.signal,
        headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
      });
      if (response.status === 401) {
        previous?.abort();
        this.#setState("signedOut");
        await signIn();
        return this.#open();
      }
      if (response.status === 404) {
        const { pointer } = await response.json().catch(() => ({}));
        if (pointer !== undefined) return this.#refuse(pointer);
      }
      const history = response.headers.get("State-History");
      // A proxy answers without one while the server restarts.
      if (!response.ok || !history) throw new Error();
      if (this.#history && history !== this.#history) {
        this.revision = 0;
        for (const place of this.places.values()) place.revision = 0;
        this.dispatchEvent(new Event("history"));
      }
      this.#history = history;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = "", part; !(part = await reader.read()).done;) {
        if (stream !== this.#stream) return stream.abort();
        previous?.abort();
        this.#listenForSilence(stream);
        if (this.state !== "live") {
          this.#failures = 0;
          this.#setState("live");
          loadSession().catch(() => {});
        }
        const events = (text + part.value).split("\n\n");
        text = events.pop();
        for (const event of events) this.#receive(event, stream);
      }
    } catch {
      // The connection was lost. Connect again below.
    }
    previous?.abort();
    if (stream === this.#stream) this.#fail();
  }

  /** Watches the other places, without one that the server does not know. */
  #refuse(pointer) {
    const path = pointer === "/" ? "" : pointer;
    this.#refused.add(path);
    this.#apply({ revision: this.revision, changes: [{ path, etag: "-", absent: { reason: "unknown-path" } }] });
    warn(`There is no place ${path || "/"}. If the model of the server has changed, reload this page.`);
    return this.#open();
  }

  #listenForSilence(stream) {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => stream.abort(), silenceLimit);
  }

  #receive(event, stream) {
    // A dot would end at U+2028, which a JSON text may contain.
    const data = event.match(/(?:^|\n)data: ([^\n]*)/)?.[1];
    if (!data) return;
    if (/^event: cancel$/m.test(event)) return stream.abort();
    const message = parseJSON(data);
    if (!this.isPaused) return this.#apply(message);
    // The first value of a place is shown during a pause too.
    const { isFirst = [], isHeld = [] } = Object.groupBy(message.changes, (change) => {
      const known = this.places.get(change.path === "/" ? "" : change.path);
      return !known || known.shallow && "value" in change ? "isFirst" : "isHeld";
    });
    this.#apply({ ...message, changes: isFirst });
    if (!isHeld.length) return;
    message.changes = isHeld;
    this.held += message.changes.length;
    this.#heldEvents.push(message);
    if (this.#heldEvents.length > maximumHeld) {
      const { revision, changes } = this.#heldEvents.shift();
      for (const change of changes) this.#heldChanges.set(change.path, { revision, changes: [change] });
    }
    this.dispatchEvent(new Event("status"));
  }

  #apply({ revision, changes }) {
    this.revision = Math.max(this.revision, revision);
    const applied = [];
    for (const change of changes) {
      const path = change.path === "/" ? "" : change.path;
      const previous = this.places.get(path);
      // Held events may be older than a response.
      if (previous?.revision > revision) continue;
      const etag = change.etag?.replaceAll('"', "");
      // The same value again, unless it was too large for the event that announced it.
      if (previous && previous.etag === etag && (!("value" in change) || previous.value !== undefined)) continue;
      const next = {
        etag, absent: change.absent, count: change.count, shallow: !("value" in change) && !change.absent,
        isLarge: change.large, value: change.value, revision,
        changes: (previous?.changes ?? -1) + (previous?.etag === etag ? 0 : 1),
      };
      // The cache forgets the places first that have not changed for the longest time.
      this.places.delete(path);
      this.places.set(path, next);
      applied.push({ path, previous, next, revision });
    }
    for (const path of this.places.keys()) {
      if (this.places.size <= 4 * maximumPlaces) break;
      if (this.#wanted.has(path)) continue;
      this.places.delete(path);
      this.dispatchEvent(new CustomEvent("forget", { detail: path }));
    }
    if (applied.length) this.dispatchEvent(new CustomEvent("change", { detail: applied }));
  }

  #fail() {
    this.#stream?.abort();
    this.#stream = null;
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    const ceiling = Math.min(retryDelays.maximum, retryDelays.minimum * 2 ** this.#failures++);
    const delay = ceiling * (0.5 + Math.random() / 2);
    this.retryAt = Date.now() + delay;
    this.#timer = setTimeout(() => { this.#timer = 0; this.#open(); }, delay);
    this.#setState("offline");
    this.dispatchEvent(new Event("status"));
  }
}
