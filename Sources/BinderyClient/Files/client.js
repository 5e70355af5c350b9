// The browser client of Bindery: live values from one event stream.

/**
 * Connects to a Bindery server.
 *
 * @param {string | URL} url The URL of the server, by default that of this module.
 * @param {{token?: string, fetch?: typeof fetch}} options A token, unless the page has a session.
 */
export function connect(url = new URL(".", import.meta.url), { token, fetch = globalThis.fetch } = {}) {
  const events = new URL("events", new URL(String(url).replace(/\/?$/, "/"), globalThis.location?.href));
  const headers = { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) };
  /** The watched places by path, with their ETags, values and subscribers. */
  const places = new Map();
  let request = null;
  let failures = 0;
  let timer = null;

  /** Opens a stream of all places. What the client has is not sent again. */
  async function open() {
    timer = null;
    request?.abort();
    if (!places.size) return;
    const own = (request = new AbortController());
    let delay = 0;
    try {
      const have = [...places].map(([path, { etag }]) => ({ path, have: etag }));
      const response = await fetch(events, {
        method: "POST", headers, body: JSON.stringify(have), signal: own.signal, credentials: "same-origin",
      });
      delay = 1000 * Number(response.headers.get("Retry-After"));
      if (!response.ok) throw new Error(`POST ${events}: ${response.status}`);
      let text = "";
      for await (const part of parts(response.body)) {
        const complete = (text + part).split("\n\n");
        text = complete.pop();
        for (const event of complete) {
          if (event.startsWith("retry: ")) delay = Number(event.slice(7));
          if (event.startsWith("data: ")) receive(JSON.parse(event.slice(6)));
        }
      }
    } catch (error) {
      if (own.signal.aborted) return;
    }
    if (own !== request) return;
    failures += 1;
    const backOff = Math.min(30_000, 500 * 2 ** failures) * Math.random();
    timer ??= setTimeout(open, delay || backOff);
  }

  /** Stores all changes of an event, and then calls the subscribers. */
  function receive({ changes }) {
    failures = 0;
    const changed = changes.map((change) => [places.get(change.path), change]).filter(([place]) => place);
    for (const [place, { value, etag }] of changed) Object.assign(place, { value, etag });
    for (const [place] of changed) for (const run of place.subscribers) run(place.value);
  }

  /** Opens the stream again for another set of places, once for all changes of a moment. */
  const reopen = () => {
    clearTimeout(timer);
    timer = setTimeout(open, 20);
  };

  return {
    /** A place of the state by its JSON Pointer, such as `/time`. */
    at(path) {
      return {
        get value() { return places.get(path)?.value; },
        /** Calls a function with the value now and after each change. Returns a function that ends this. */
        subscribe(run) {
          if (!places.has(path)) {
            places.set(path, { subscribers: new Set() });
            reopen();
          }
          const place = places.get(path);
          const subscriber = (value) => run(value);
          place.subscribers.add(subscriber);
          run(place.value);
          return () => {
            place.subscribers.delete(subscriber);
            if (!place.subscribers.size && places.get(path) === place) {
              places.delete(path);
              reopen();
            }
          };
        },
      };
    },
    /** Closes the connection. */
    close() {
      places.clear();
      clearTimeout(timer);
      request?.abort();
      request = null;
    },
  };
}

/** The text of a body, part by part. */
async function* parts(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part; !(part = await reader.read()).done; ) yield part.value;
}
