// The event stream of the page. It reports its connection status and reconnects automatically.

import { signIn } from "./access.js";

/** The minimum and maximum delay before reconnecting, in milliseconds. */
const minimumDelay = 1_000;
const maximumDelay = 30_000;

/** The time in milliseconds after which an open stream without events counts as live. */
const liveAfter = 300;

export class Stream {
  #paths;
  #onEvent;
  #onStatus;
  #source = null;
  #cursor = "";
  /** The completion of the latest event, which the next event waits for. */
  #lastEvent = Promise.resolve();
  #failures = 0;
  #reopenTimer = 0;
  #liveTimer = 0;

  /**
   * @param paths the JSON Pointers of the values to watch
   * @param onEvent called with `{revision, changes: [{path, value, etag} or {path, absent}]}`
   * @param onStatus called with `connecting`, `live`, `offline` or `locked`
   */
  constructor(paths, { onEvent, onStatus }) {
    this.#paths = paths;
    this.#onEvent = onEvent;
    this.#onStatus = onStatus;
    addEventListener("offline", () => this.#close("offline"));
    // The old connection may be dead without an error event. Resuming with a cursor is cheap.
    addEventListener("online", () => this.open());
    addEventListener("pagehide", () => this.#close("connecting"));
    addEventListener("pageshow", (event) => event.persisted && this.open());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && !this.#source) this.open();
    });
  }

  /** Opens the stream, resuming after the last event. Closes an existing stream. */
  open() {
    this.#close("connecting");
    const query = new URLSearchParams(this.#paths.map((path) => ["path", path]));
    if (this.#cursor) query.set("last-event-id", this.#cursor);
    const url = `/events?${query}`;
    const source = new EventSource(url);
    this.#source = source;
    source.onopen = () => {
      this.#liveTimer = setTimeout(() => this.#markLive(), liveAfter);
    };
    source.onmessage = (message) => {
      this.#lastEvent = this.#lastEvent.then(() => this.#receive(source, message));
    };
    source.addEventListener("cancel", () => this.#signInAndReopen("Your access to this menu was revoked."));
    source.onerror = () => {
      clearTimeout(this.#liveTimer);
      this.#onStatus("offline");
      // In the state CONNECTING the browser reconnects by itself.
      if (source.readyState === EventSource.CLOSED) this.#diagnose(url);
    };
  }

  /** Completes an event and passes it on. Without its large values it is not taken, and the stream sends it again. */
  async #receive(source, message) {
    const event = JSON.parse(message.data);
    try {
      await Promise.all(event.changes.filter((change) => change.large).map(fetchValue));
    } catch {
      if (source === this.#source) this.#scheduleReopen();
    }
    if (source !== this.#source) return;
    this.#cursor = message.lastEventId;
    this.#onEvent(event);
    this.#markLive();
  }

  /** Finds out why a stream was rejected. An EventSource does not expose the status, so send a HEAD request. */
  async #diagnose(url) {
    this.#close("offline");
    const response = await fetch(url, { method: "HEAD", signal: AbortSignal.timeout(maximumDelay) }).catch(() => null);
    // An `online` event may have reopened the stream in the meantime.
    if (this.#source) return;
    if (response?.status === 401) this.#signInAndReopen();
    else this.#scheduleReopen();
  }

  async #signInAndReopen(reason) {
    this.#close("locked");
    await signIn(reason);
    this.open();
  }

  #markLive() {
    clearTimeout(this.#liveTimer);
    this.#failures = 0;
    this.#onStatus("live");
  }

  #close(status) {
    clearTimeout(this.#liveTimer);
    clearTimeout(this.#reopenTimer);
    this.#source?.close();
    this.#source = null;
    this.#onStatus(status);
  }

  /** Reopens the stream after a delay with exponential backoff and jitter. */
  #scheduleReopen() {
    this.#close("offline");
    const delay = Math.min(maximumDelay, minimumDelay * 2 ** this.#failures) * (0.5 + Math.random() / 2);
    this.#failures += 1;
    this.#reopenTimer = setTimeout(() => this.open(), delay);
  }
}

/** Reads a value that is too large for an event. */
async function fetchValue(change) {
  const response = await fetch(change.path === "/" ? "/state" : `/state${encodeURI(change.path)}`);
  if (response.ok) change.value = await response.json();
  // A place that is gone by now has no value. The next event says so, too.
  else if (response.status !== 404) throw new Error(`The server returned status ${response.status}`);
}
