// One stream of events for all that the page shows. It says whether it is live, and always comes back.

import { signIn } from "./access.js";

/** The first and the longest wait before a closed stream is opened again, in milliseconds. */
const shortest = 1_000;
const longest = 30_000;

/** A stream that stays open this long, in milliseconds, is live even if it has nothing to tell. */
const steady = 300;

export class Stream {
  #paths;
  #onEvent;
  #onStatus;
  #source = null;
  #cursor = "";
  #failures = 0;
  #reopening = 0;
  #steadying = 0;

  /**
   * @param paths JSON Pointers of what to watch
   * @param onEvent called with `{revision, changes: [{path, value} or {path, absent}]}`
   * @param onStatus called with `connecting`, `live`, `offline` or `locked`
   */
  constructor(paths, { onEvent, onStatus }) {
    this.#paths = paths;
    this.#onEvent = onEvent;
    this.#onStatus = onStatus;
    addEventListener("offline", () => this.#close("offline"));
    // The connection may have died without a word, and resuming costs nothing.
    addEventListener("online", () => this.open());
    addEventListener("pagehide", () => this.#close("connecting"));
    addEventListener("pageshow", (event) => event.persisted && this.open());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && !this.#source) this.open();
    });
  }

  open() {
    this.#close("connecting");
    const query = new URLSearchParams(this.#paths.map((path) => ["path", path]));
    if (this.#cursor) query.set("last-event-id", this.#cursor);
    const url = `/events?${query}`;
    const source = new EventSource(url);
    this.#source = source;
    source.onopen = () => {
      this.#steadying = setTimeout(() => this.#isLive(), steady);
    };
    source.onmessage = (message) => {
      this.#cursor = message.lastEventId;
      this.#onEvent(JSON.parse(message.data));
      this.#isLive();
    };
    source.addEventListener("cancel", () => this.#unlock("The access to this menu was taken back."));
    source.onerror = () => {
      clearTimeout(this.#steadying);
      this.#onStatus("offline");
      // While it is CONNECTING the browser tries again by itself.
      if (source.readyState === EventSource.CLOSED) this.#askWhy(url);
    };
  }

  /** An EventSource does not tell why it was refused; a request of one's own does. */
  async #askWhy(url) {
    this.#close("offline");
    const answer = await fetch(url, { method: "HEAD", signal: AbortSignal.timeout(longest) }).catch(() => null);
    // Meanwhile the browser may be online again.
    if (this.#source) return;
    if (answer?.status === 401) this.#unlock();
    else this.#openLater();
  }

  async #unlock(why) {
    this.#close("locked");
    await signIn(why);
    this.open();
  }

  #isLive() {
    clearTimeout(this.#steadying);
    this.#failures = 0;
    this.#onStatus("live");
  }

  #close(status) {
    clearTimeout(this.#steadying);
    clearTimeout(this.#reopening);
    this.#source?.close();
    this.#source = null;
    this.#onStatus(status);
  }

  #openLater() {
    this.#close("offline");
    const wait = Math.min(longest, shortest * 2 ** this.#failures) * (0.5 + Math.random() / 2);
    this.#failures += 1;
    this.#reopening = setTimeout(() => this.open(), wait);
  }
}
