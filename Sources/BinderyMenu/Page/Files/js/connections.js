// The connections of the browser to the server. Over HTTP/1.1, a browser opens at most six to one server, for all its
// windows together, and an event stream occupies one. Without a limit, six windows would leave none for anything else.

/** The maximum number of event streams, so that one connection stays free. */
const maximumStreams = 5;

/** Web Locks are shared by the windows of one origin, and the browser releases those of a closed window. */
const lockNames = Array.from({ length: maximumStreams }, (_, index) => `bindery-event-stream-${index + 1}`);

/**
 * Returns whether the connection to the server is HTTP/1.1. Over HTTP/2 and HTTP/3, which browsers use only with TLS,
 * all requests share one connection.
 */
function isHTTP1() {
  // Responses from the cache have no protocol.
  return location.protocol === "http:"
    || performance.getEntriesByType("resource").some((entry) => entry.nextHopProtocol === "http/1.1");
}

/** Whether windows can agree on the connections that they use. Browsers have no locks on insecure pages. */
const canReserve = "locks" in navigator;

/** Returns a hint for a request without a response, if too many windows may be the cause. */
export function connectionHint() {
  return isHTTP1() && !canReserve
    ? " If this page is open in six or more windows, close one: the browser opens only six connections to a server."
    : "";
}

/**
 * Reserves a connection for an event stream.
 *
 * @param onBusy called if all connections are reserved, before waiting for one
 * @param signal cancels the wait
 * @returns a function that ends the reservation
 */
export async function reserveConnection(onBusy, signal) {
  if (!isHTTP1() || !canReserve) return () => {};
  for (const name of lockNames) {
    const release = await requestLock(name, { ifAvailable: true });
    if (release) return release;
  }
  onBusy();
  const waiting = new AbortController();
  signal.addEventListener("abort", () => waiting.abort());
  return Promise.any(lockNames.map(async (name) => {
    const release = await requestLock(name, { signal: waiting.signal });
    // Another lock may have been granted at the same time.
    if (waiting.signal.aborted) release();
    waiting.abort();
    return release;
  }));
}

/** Returns a function that releases the lock, or null if the lock is not available. */
function requestLock(name, options) {
  return new Promise((resolve, reject) => {
    navigator.locks.request(name, options, (lock) => lock && new Promise((release) => resolve(release)))
      .then(() => resolve(null), reject);
  });
}
