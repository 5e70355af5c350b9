// The event stream of the page. It reports its connection status and reconnects automatically.

import { signIn } from "./access.js";
import { reserveConnection } from "./connections.js";

/**
 * The minimum and maximum delay before reconnecting, in milliseconds. The page reconnects by itself: the browser would
 * wait for the time that the server sent last, which is longer than most restarts.
 */
const reconnectDelays = { minimum: 200, maximum: 5_000 };

/** The delays after a stream that ended at once: an overloaded server, or a proxy of a stopped one, asks to wait. */
const retryDelays = { minimum: 1_000, maximum: 15_000 };

/** The number of failed attempts after which the page counts as offline. The first one is mostly a restart. */
const toleratedFailures = 2;

/** The time in milliseconds after which an open stream without events counts as live. */
const liveAfter = 300;

/** The time between two updates of a window without a connection for its stream, in milliseconds. */
const refreshInterval = 3_000;

/** The maximum time to wait for the reason of a rejected stream, in milliseconds. */
const diagnosisTimeout = 10_000;

const reasons = {
  "session-ended": "You have signed out.",
  "session-expired": "Your session has expired.",
  "token-revoked": "Your access to this menu was revoked.",
};

export class Stream {
  #paths;
  #onEvent;
  #onStatus;
  #source = null;
  #cursor = "";
  /** The completion of the latest event, which the next event waits for. */
  #lastEvent = Promise.resolve();
  #failures = 0;
  /** Whether the server has accepted the stream. */
  #wasAccepted = false;
  #reopenTimer = 0;
  #liveTimer = 0;
  /** Ends the reservation of a connection. Null without a reservation: the stream is then only opened for updates. */
  #release = null;
  /** Cancels the wait for a connection. */
  #waiting = null;

  /**
   * @param paths the JSON Pointers of the values to watch
   * @param onEvent called with `{revision, changes: [{path, value, etag} or {path, absent}]}`
   * @param onStatus called with `connecting`, `live`, `periodic`, `offline` or `locked`
   */
  constructor(paths, { onEvent, onStatus }) {
    this.#paths = paths;
    this.#onEvent = onEvent;
    this.#onStatus = onStatus;
    addEventListener("offline", () => this.#stop("offline"));
    // The old connection may be dead without an error event. Resuming with a cursor is cheap.
    addEventListener("online", () => this.start());
    addEventListener("pagehide", () => this.#stop("connecting"));
    addEventListener("pageshow", (event) => event.persisted && this.start());
    // Browsers limit the connections to a server for all windows together, so a hidden window leaves its own to others.
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#stop("connecting") : this.start()));
  }

  /** Opens the stream, resuming after the last event. Closes an existing stream. */
  start() {
    if (document.hidden) return;
    this.#close();
    this.#onStatus("connecting");
    if (this.#release) return this.#open();
    this.#waiting?.abort();
    const waiting = new AbortController();
    this.#waiting = waiting;
    const onBusy = () => !waiting.signal.aborted && this.#open();
    reserveConnection(onBusy, waiting.signal).then((release) => {
      if (waiting.signal.aborted) return release();
      this.#release = release;
      this.#open();
    }, () => {});
  }

  /** Updates the page soon if it has no connection of its own. Call after a write. */
  refresh() {
    if (!this.#release && !document.hidden) this.#open();
  }

  #open() {
    this.#close();
    const query = new URLSearchParams(this.#paths.map((path) => ["path", path]));
    if (this.#cursor) query.set("last-event-id", this.#cursor);
    const url = `events?${query}`;
    const source = new EventSource(url);
    this.#source = source;
    this.#wasAccepted = false;
    source.onopen = () => {
      this.#wasAccepted = true;
      this.#liveTimer = setTimeout(() => this.#markLive(), liveAfter);
    };
    source.onmessage = (message) => {
      this.#lastEvent = this.#lastEvent.then(() => this.#receive(source, message));
    };
    source.addEventListener("cancel", (event) => this.#signInAndRestart(reasons[JSON.parse(event.data).reason]));
    source.onerror = () => {
      // In the state CONNECTING the browser would reconnect by itself, but later.
      if (source.readyState === EventSource.CLOSED) this.#diagnose(url);
      else this.#scheduleReopen();
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
    this.#close();
    const signal = AbortSignal.timeout(diagnosisTimeout);
    const response = await fetch(url, { method: "HEAD", signal }).catch(() => null);
    // An `online` event may have reopened the stream in the meantime.
    if (this.#source) return;
    if (response?.status === 401) this.#signInAndRestart();
    else this.#scheduleReopen();
  }

  async #signInAndRestart(reason) {
    this.#stop("locked");
    await signIn(reason);
    this.start();
  }

  #markLive() {
    clearTimeout(this.#liveTimer);
    this.#failures = 0;
    this.#wasAccepted = false;
    this.#onStatus(this.#release ? "live" : "periodic");
    if (this.#release) return;
    // The browser has one connection left for the requests of all windows. Do not keep it.
    this.#close();
    this.#reopenTimer = setTimeout(() => this.#open(), refreshInterval);
  }

  /** Closes the stream and gives its connection to other windows. */
  #stop(status) {
    this.#close();
    this.#waiting?.abort();
    this.#release?.();
    this.#release = null;
    this.#onStatus(status);
  }

  #close() {
    clearTimeout(this.#liveTimer);
    clearTimeout(this.#reopenTimer);
    this.#source?.close();
    this.#source = null;
  }

  /** Reopens the stream after a delay with exponential backoff and jitter. */
  #scheduleReopen() {
    this.#close();
    const { minimum, maximum } = this.#wasAccepted ? retryDelays : reconnectDelays;
    const delay = Math.min(maximum, minimum * 2 ** this.#failures) * (0.5 + Math.random() / 2);
    this.#failures += 1;
    this.#onStatus(this.#failures < toleratedFailures ? "connecting" : "offline");
    this.#reopenTimer = setTimeout(() => this.#open(), delay);
  }
}

/** Reads a value that is too large for an event. */
async function fetchValue(change) {
  const response = await fetch(change.path === "/" ? "state" : `state${encodeURI(change.path)}`);
  if (response.ok) change.value = await response.json();
  // A place that is gone by now has no value. The next event says so, too.
  else if (response.status !== 404) throw new Error(`The server returned status ${response.status}`);
}
