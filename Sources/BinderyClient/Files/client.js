// Live, optimistic bindings to a Bindery server: the confirmed value and the unsettled writes (docs/CLIENT.md).

// The maximum number of writes, of places, and of revisions with a known history.
const maximum = 1_000, maximumAttempts = 5, maximumFlushBytes = 65_536;
// In milliseconds. `maximumTime` limits requests, places without subscribers, and the silence of a leading tab.
const maximumTime = 30_000, batchTime = 20, settleTime = 1_000, silenceTime = 40_000, liveTime = 10_000,
  heartbeatTime = 5_000, retryTime = 5_000, hiddenTime = 60_000;

// Integers beyond ±(2^53 − 1) are BigInts. A random mark distinguishes them from texts.

const mark = `integer${Math.random().toString(36).slice(2)}:`;
const textOrLongInteger = /"(?:\\.|[^"\\])*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;
const markedInteger = new RegExp(`"${mark}(-?\\d+)"`, "g");

function parse(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const marked = text.replace(textOrLongInteger, (found) =>
    found[0] === '"' || Number.isSafeInteger(+found) ? found : `"${mark}${found}"`);
  return JSON.parse(marked, (_, value) =>
    typeof value === "string" && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value);
}

function stringify(value) {
  try {
    return JSON.stringify(value, (_, item) => {
      if (typeof item === "number" && !Number.isFinite(item)) throw `${item} is not in JSON`;
      return typeof item === "bigint" ? mark + item : item;
    })?.replace(markedInteger, "$1");
  } catch (error) {
    throw { kind: "refused", title: String(error) };
  }
}

function isEqual(a, b) {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}

const copyOf = (value) => parse(stringify(value));

// Paths are JSON Pointers (RFC 6901) with the ids of elements.

const uuid = /^[\da-f-]{36}$/i;
const escapeKey = (key) => String(key).replaceAll("~", "~0").replaceAll("/", "~1");
const keysOf = (path) => path.split("/").slice(1).map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
// Half of a surrogate pair has no URL, like the keys that are refused.
const pathInURL = (path) => (path.isWellFormed() ? path.split("/").map(encodeURIComponent).join("/") : "/..");

const keysBetween = (above, below) =>
  below === above || below.startsWith(`${above}/`) ? keysOf(below.slice(above.length)) : undefined;

/**
 * Returns the element with an id, which is in its member `id`, or else in one that differs in all elements; undefined if
 * members of several elements may be this id.
 */
function withID(list, key) {
  const names = Object.keys(list[0] ?? {}), isUnique = (name) =>
    new Set(list.map((element) => String(element?.[name]))).size === list.length;
  const found = (names.includes("id") ? ["id"] : names.filter(isUnique))
    .flatMap((name) => list.find((element) => String(element?.[name]) === key) ?? []);
  return found.every((element) => element === found[0]) ? found[0] : undefined;
}

function child(value, key) {
  if (Array.isArray(value)) {
    return withID(value, key) ?? (uuid.test(key) ? withID(value, key.toLowerCase()) : undefined);
  }
  return value && typeof value === "object" && Object.hasOwn(value, key) ? value[key] : undefined;
}

const gone = Symbol();

/** Returns what is below a value: `gone` if there is nothing, or undefined if the server may add it, like a default. */
function partOf(value, key) {
  const found = child(value, key);
  const mayBeAdded = value === undefined || value && typeof value === "object" && !Array.isArray(value);
  return found === undefined && !mayBeAdded ? gone : found;
}

/** Returns a copy with one changed place, or the value itself without it. */
function replacing(value, [key, ...rest], change) {
  if (key === undefined) return change(value);
  const old = child(value, key), changed = old === undefined ? old : replacing(old, rest, change);
  if (changed === old) return value;
  if (Array.isArray(value)) return value.toSpliced(value.indexOf(old), 1, ...(changed === undefined ? [] : [changed]));
  return changed === undefined ? value : { ...value, [key]: changed };
}

function listen(listeners, run) {
  const listener = async (value) => run(value);
  listeners.add(listener);
  return () => { listeners.delete(listener); };
}

const typeOf = (problem) => problem.type?.split("/").at(-1);
const kinds = {
  401: "signedOut", 403: "forbidden", 404: "absent", 412: "conflict", "test-failed": "conflict",
  "inactive-case": "absent", "nil-optional": "absent", "cannot-create": "absent",
};
const newID = () => "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx".replace(/x/g, () =>
  (crypto.getRandomValues(new Uint8Array(1))[0] & 15).toString(16));
const isTemporary = (status) => /429|50[2347]/.test(status);
function delayAfter(response, failures) {
  const after = response?.headers?.get("Retry-After");
  return Number(after) * 1_000 || Math.max(Date.parse(after) - Date.now(), 0)
    || Math.max(1_000, Math.random() * Math.min(30_000, 1_000 * 2 ** failures));
}
const unquote = (tag) => tag?.replace(/^W\/|"/g, "");
const tagOf = (response) => unquote(response.headers.get("ETag"));
const page = globalThis.document;

/** Opens bindings to a server; without a URL, to that of this module. */
export function connect(url = new URL(".", import.meta.url), { token, hidden = "release", fetch: send = fetch } = {}) {
  const base = new URL(String(url).replace(/\/?$/, "/"), page?.baseURI ?? globalThis.location?.href);
  const places = new Map(), statusListeners = new Set(), wakers = new Set();
  // The history of each revision that this client has made or read: after a restore, numbers begin again.
  const histories = new Map();
  let queue = [], settled = [], isSending, isClosed, history, newest = 0, session = 0;
  let status = { state: "connecting", pending: 0 };

  function setStatus(change = status) {
    const next = { ...change, pending: queue.length };
    if (!next.retryAt && isEqual(next, status)) return;
    // Another tab may have signed in. A write that waits after 503 waits until its time.
    if (next.state === "live" && /connecting|signedOut/.test(status.state)) wakeAll();
    status = next;
    for (const run of [...statusListeners]) if (status === next && statusListeners.has(run)) run(next);
  }

  function retry(reason = "No connection", time, state = "offline", tell = setStatus) {
    tell({ state, reason, retryAt: new Date(Date.now() + time) });
    return pause(time);
  }

  /** Waits for a time, or until there may be a connection. */
  function pause(time) {
    return new Promise((resolve) => {
      const timer = time && setTimeout(wake, time);
      function wake() {
        clearTimeout(timer);
        wakers.delete(wake);
        resolve();
      }
      wakers.add(wake);
    });
  }
  const wakeAll = () => { for (const wake of [...wakers]) wake(); };

  async function request(method, path, headers, body, options) {
    // A URL would lose these keys, and lead to another place.
    if (/\/\.\.?(\/|$)/.test(path)) throw { kind: "refused", title: "A URL cannot contain this path" };
    const access = token && { Authorization: `Bearer ${token}` };
    const response = await send(new URL(path, base), {
      method, headers: { "Content-Type": "application/json", ...access, ...headers }, body,
      signal: AbortSignal.timeout(maximumTime), ...options,
    });
    // A body may arrive after another history has begun.
    if (path !== "events") response.content = await response.text();
    const current = response.headers.get("State-History");
    // A page that a network or a proxy shows instead.
    if (!current && (response.ok || response.status > 499 && !isTemporary(response.status))) throw Error("Not Bindery");
    if (enter(current) && path !== "events") hub.reopen();
    newest = Math.max(newest, revisionOf(response));
    return response;
  }

  function remember(revision, response) {
    histories.set(revision, response.headers.get("State-History"));
    if (histories.size > maximum) histories.delete(histories.keys().next().value);
  }

  const revisionOf = (response) => Number(response.headers.get("State-Revision") ?? newest);

  const seen = () => history && { "State-Revision": newest, "State-History": history };

  /** Returns whether the server has another history. */
  function enter(current) {
    const old = history;
    history = current ?? history;
    if (!old || old === history) return;
    newest = 0;
    settled = [];
    for (const write of queue) write.revision = undefined;
    for (const place of places.values()) place.revision = place.streamed = -1;
    return true;
  }

  async function problemOf(response) {
    let body = {};
    try { body = parse(response.content ?? (await response.text())); } catch { /* The answer of a proxy */ }
    const { status } = response, kind = kinds[typeOf(body)] ?? kinds[status] ?? "refused";
    return { title: `The server returned status ${status}`, status, ...body, kind };
  }

  async function read(place, tag) {
    const before = newest;
    const headers = { ...seen(), ...(tag && tag !== "-" && { "If-None-Match": `"${tag}"` }) };
    const response = await request("GET", `state${pathInURL(place.path)}`, headers);
    const revision = Number(response.headers.get("State-Revision") ?? before);
    if (response.status === 304) {
      if (tag === place.etag && revision >= place.revision) place.revision = place.streamed = revision;
    }
    else if (response.ok) confirm(place, { revision, value: parse(response.content), etag: tagOf(response) });
    else {
      const problem = await problemOf(response);
      if (response.status !== 404) throw problem;
      const { activeCase } = problem;
      confirm(place, { revision, absent: { reason: typeOf(problem), ...(activeCase && { activeCase }) } });
    }
    show(place);
  }

  /** Reads a place, and retries later if that fails. Returns after the first attempt. */
  async function refresh(place, tag) {
    await read(place, tag).catch(({ status }) => {
      place.retry ??= pause(status < 429 ? undefined : retryTime).then(() => {
        place.retry = undefined;
        if (place.isWatched && !isClosed) refresh(place, tag);
      });
    });
  }

  function placeAt(path, isShallow) {
    if (path && path[0] !== "/") throw new TypeError(`A path begins with a slash: /${path}`);
    const key = isShallow ? `*${path}` : path;
    let place = places.get(key);
    if (!place) {
      place = { key, path, isShallow, status: "loading", revision: -1, streamed: -1, write: "confirmed" };
      place.listeners = new Set();
      place.snapshot = snapshotOf(place, {});
      place.binding = bindingOf(path, isShallow);
      places.set(key, place);
      linger(place);
    }
    return place;
  }

  function linger(place) {
    clearTimeout(place.timer);
    place.timer = setTimeout(() => {
      if (place.listeners.size) return;
      if (queue.some((write) => write.owner === place)) return linger(place);
      places.delete(place.key);
      place.isWatched = false;
      hub.update();
    }, maximumTime);
    place.timer.unref?.();
  }

  const watched = () => [...places.values()].filter((place) => place.isWatched);

  function confirm(place, { revision, value, etag, absent, count = Object.keys(value ?? {}).length }) {
    if (revision < place.revision) return;
    if (place.isShallow) value = { count, etag };
    Object.assign(place, { revision, value, absent, etag: absent ? "-" : etag, status: absent ? "absent" : "present" });
  }

  function visible(place) {
    let { status, value, absent } = place;
    for (const write of [...settled, ...queue]) {
      if (place.isShallow || !write.apply || write.revision <= place.revision) continue;
      const below = keysBetween(place.path, write.path), above = keysBetween(write.path, place.path);
      let changed = value;
      if (below?.length === 0) {
        if (status === "absent" && !write.creates) continue;
        if (status === "loading" && write.kind !== "set") continue;
        changed = write.apply(value);
        if (changed === undefined && child([value], keysOf(place.path).at(-1) ?? "")) changed = gone;
        write.result = changed;
      } else if (status === "present" && below) {
        changed = replacing(value, below, write.apply);
      } else if (above && write.kind === "remove") {
        changed = gone;
        // The value of a place that is not attached may be old.
      } else if (write.result !== undefined && (write.kind === "set" || write.owner.isAttached)) {
        changed = above?.reduce(partOf, write.result);
      }
      if (changed === undefined || changed === value) continue;
      [status, value, absent] = changed === gone ? ["absent", undefined, { reason: "no-such-element" }]
        : ["present", changed];
    }
    return { status, value, absent };
  }

  function snapshotOf(place, last) {
    const { problem, outcome, revision } = place, { status, value, absent } = visible(place);
    // Subscribers get copies: what they change in a value does not become confirmed.
    const kept = (one, ...others) => others.find((other) => isEqual(one, other)) ?? copyOf(one);
    const shown = status === "present" ? kept(value, last.value) : undefined;
    return {
      status, absent, value: shown, problem, outcome, revision,
      confirmed: place.status === "present" ? kept(place.value, shown, last.confirmed) : undefined,
      etag: place.etag === "-" ? undefined : place.etag,
      write: queue.findLast((write) => write.owner === place)?.state ?? place.write,
    };
  }

  /** Notifies subscribers; with a write or a place, those of the places that it may change. */
  function show(scope) {
    settled = settled.filter((write) => [...places.values()].some((place) =>
      place.isWatched && place.revision < write.revision && isRelated(write, place)));
    const changed = [];
    for (const place of [...places.values()].sort((a, b) => a.path.length - b.path.length)) {
      if (scope && place !== scope && place !== scope.owner && !isRelated(scope, place)) continue;
      const last = place.snapshot, next = snapshotOf(place, last);
      if (isEqual({ ...next, revision: last.revision }, last)) continue;
      place.snapshot = next;
      changed.push(place);
    }
    for (const place of changed) {
      const { listeners, snapshot } = place;
      for (const run of [...listeners]) {
        // A listener that writes has shown the newer value to all.
        if (place.snapshot === snapshot && listeners.has(run)) run(snapshot.value);
      }
    }
  }

  const isRelated = (write, place) =>
    !place.isShallow && (keysBetween(place.path, write.path) ?? keysBetween(write.path, place.path));

  /** Applies an event of the stream: one snapshot of all attached places. */
  function receive({ revision, changes }, current) {
    enter(current);
    newest = Math.max(newest, revision);
    const named = new Map(changes.map((change) => [change.path === "/" ? "" : change.path, change]));
    for (const place of watched()) {
      const change = named.get(place.path);
      if (change) {
        place.isAttached = true;
        place.streamTag = change.etag;
        place.streamed = revision;
        if (change.large) refresh(place);
        else confirm(place, { revision, ...change });
      } else if (place.isAttached) {
        place.streamed = revision;
        if (place.revision > revision) continue;
        // Another client may have undone a write before the stream saw it.
        if (place.streamTag !== place.etag) refresh(place, place.etag);
        else place.revision = revision;
      }
    }
    show();
  }

  const hub = createHub({
    base, keeps: hidden === "keep", receive, request, problemOf, seen, setStatus, retry,
    // Before it has an ETag, a large value that the stream has announced is being read.
    places: () => watched().map(({ path, isShallow: shallow, streamTag, etag: have = streamTag }) =>
      [path, { have, shallow }]),
    attach(entries) {
      for (const place of watched()) {
        const { have, shallow } = entries.get(place.path) ?? {};
        if (have && place.etag && (place.isShallow || !shallow)) {
          Object.assign(place, { isAttached: true, streamTag: have });
          if (have !== place.etag) refresh(place, place.etag);
        }
      }
    },
    refuse(path, problem) {
      for (const place of watched().filter((one) => one.path === path)) {
        const absent = { reason: typeOf(problem) ?? problem.kind };
        Object.assign(place, { isWatched: false, problem, status: "absent", absent });
      }
      show();
    },
    leave: () => endSession(),
  });

  function enqueue(write) {
    if (isClosed || queue.length >= maximum) {
      const title = isClosed ? "The client is closed" : "Too many writes";
      return Promise.resolve({ problem: { kind: "offline", title, value: write.value } });
    }
    const { place, owner = place } = write;
    // A copy, so that later changes by the caller are not written. A value that is not JSON is refused when it is sent.
    try {
      if (write.apply && write.value !== undefined) write.value = copyOf(write.value);
    } catch { write.apply = undefined; }
    const promise = new Promise((resolve) => { write.parts = [{ resolve, change: write.change }]; });
    if (owner) Object.assign(owner, { problem: undefined, outcome: undefined, write: "confirmed" });
    const tail = queue.at(-1);
    const isComposed = (one) =>
      one && /set|update/.test(one.kind) && !one.isExact && !one.order && one.place === place;
    const isCut = status.state === "offline" || (status.state === "connecting" && place?.isWatched);
    if (isComposed(tail) && isComposed(write) && (tail.tag || !isCut)) {
      if (write.kind === "set") {
        const { value, creates } = write;
        Object.assign(tail, { kind: "set", value, creates: creates || tail.creates, apply: () => composed(tail) });
        for (const part of tail.parts) part.change = undefined;
      }
      tail.parts.push(...write.parts);
    } else {
      // Without a connection, a write applies to what the user has seen.
      if (isCut && place?.etag && !write.isExact) {
        if (place.etag !== "-" || write.creates) write.tag = place.etag;
        write.seen = place.snapshot.value;
      }
      queue.push(Object.assign(write, { owner, state: "pending", key: newID(), attempts: 0 }));
    }
    setStatus();
    show(write);
    sendAll();
    return promise;
  }

  function composed(write, value, isFinal) {
    let result = write.kind === "set" ? write.value : value;
    for (const part of write.parts) {
      if (!part.change) continue;
      try {
        const changed = part.change(copyOf(result));
        if (typeof changed?.then === "function") throw "It returned a promise";
        if (changed !== undefined) result = copyOf(changed);
        part.isCancelled = changed === undefined;
        part.error = undefined;
      } catch (error) {
        if (isFinal) part.error = error;
      }
    }
    return result;
  }

  async function sendAll() {
    if (isSending) return;
    isSending = true;
    await undefined;
    while (queue.length && !isClosed) {
      const write = queue[0];
      const outcome = await perform(write)
        .catch((error) => ({ problem: { kind: "refused", title: String(error), ...error } }));
      if (queue[0] === write) finish(write, outcome);
    }
    isSending = false;
  }

  function submit(write, options) {
    const [method, path, headers, body] = write.order;
    return request(method, path, { ...headers, "Idempotency-Key": write.key }, body, options);
  }

  async function perform(write) {
    const { place } = write;
    for (let failures = 0; queue[0] === write;) {
      let response;
      write.session = session;
      try {
        // A request without a response is repeated with its key.
        if (write.kind === "update" && !write.order) {
          // What other writes have changed below or above it is part of the value to change.
          const isOld = settled.some((one) => one.revision > place.revision && isRelated(one, place));
          if (isOld || place.status !== "present") await read(place);
          if (place.status !== "present") return { problem: { kind: "absent", title: "No value", ...place.absent } };
        }
        if (write.mustCompare) {
          await read(place);
          write.mustCompare = false;
          // A patch is shown only when it is confirmed, so its result is not in `seen`.
          if (place.revision === write.own || isEqual(place.value, write.seen)) rebase(write);
        }
        write.order ??= write.request();
        if (write.parts.every((part) => part.isCancelled || part.error)) return { ok: place.value };
        write.state = "inFlight";
        show(write);
        response = await submit(write);
      } catch (error) {
        if (error?.kind && error.status !== 401 && !isTemporary(error.status)) throw error;
        response = error?.kind ? error : undefined;
      }
      if (queue[0] !== write) return;
      if (!response || isTemporary(response.status)) {
        write.state = "pending";
        show();
        const problem = response?.kind ? response : response && (await problemOf(response));
        await retry(problem?.detail ?? problem?.title, delayAfter(response, failures++));
      } else if (response.status === 401) {
        write.state = "pending";
        if (write.session === session) {
          // The stream may have said why.
          if (status.state !== "signedOut") setStatus({ state: "signedOut" });
          show();
          await pause();
        }
      } else {
        if (status.state === "offline") {
          setStatus({ state: hub.state() });
          hub.update();
        }
        if (response.ok) return await accept(write, response);
        const problem = await problemOf(response);
        if (response.status === 412 && place) {
          const { current: value, currentETag } = problem;
          if (value === undefined) await refresh(place);
          else confirm(place, { revision: revisionOf(response), value, etag: unquote(currentETag) });
          if (write.kind === "update" && ++write.attempts < maximumAttempts && place.status === "present") {
            Object.assign(write, { key: newID(), order: undefined });
            continue;
          }
          if (place.status === "absent") problem.kind = "absent";
        }
        return { problem };
      }
    }
  }

  async function accept(write, response) {
    const revision = revisionOf(response), etag = tagOf(response), { place } = write;
    const text = response.content, value = text ? parse(text) : undefined;
    const changed = response.headers.get("State-Changed") !== "?0";
    if (changed) write.revision = revision;
    const location = decodeURIComponent(response.headers.get("Location")?.split("/").at(-1) ?? "");
    const target = write.kind !== "append" ? place
      : placeAt(`${write.path}/${write.id === undefined ? location : escapeKey(write.id)}`);
    if (target && text) {
      confirm(target, { revision, value, etag });
      target.outcome = response.headers.get("Write-Outcome") ?? undefined;
    } else if (target) {
      await refresh(target);
    }
    if (write.kind === "append") write.value = target.value;
    // A later write applies to what the user has seen together with this one.
    for (const other of queue.slice(1)) {
      if (!other.tag || other.isExact || !touches(write, other)) continue;
      if (other.place === place && place.revision === revision && !write.attempts) rebase(other);
      else Object.assign(other, { mustCompare: true, own: write.kind === "request" ? revision : other.own });
    }
    if (changed) setTimeout(() => check(revision), settleTime).unref?.();
    if (write.kind === "request") {
      remember(revision, response);
      return { ok: { revision, changed } };
    }
    return { ok: write.kind === "remove" ? undefined : text ? value : target.value };
  }

  function rebase(write) {
    const { etag } = write.place;
    write.tag = etag === "-" && !write.creates ? undefined : etag;
  }

  /** Returns whether a write may change a place. */
  function touches({ kind, path, value }, place) {
    const paths = kind !== "request" || !Array.isArray(value) ? [path]
      : value.flatMap((operation) => [operation.path, operation.from ?? operation.path]);
    return paths.some((one) => isRelated({ path: one }, place));
  }

  function check(revision) {
    if (isClosed) return;
    for (const place of watched()) {
      const isUnseen = place.revision === revision ? place.streamed < revision : place.revision < revision
        && settled.some((write) => write.revision === revision && isRelated(write, place));
      if (isUnseen) refresh(place, place.etag);
    }
  }

  function finish(write, { ok, problem }) {
    queue.shift();
    const { owner } = write;
    if (problem) {
      problem.value ??= write.body ?? write.value;
      if (owner) Object.assign(owner, { problem, write: problem.kind === "conflict" ? "conflict" : "refused" });
    } else if (write.revision !== undefined && write.apply) settled.push(write);
    for (const { error, resolve } of write.parts) {
      const thrown = error && { kind: "conflict", title: "The function failed", detail: String(error) };
      if (thrown && !problem) Object.assign(owner, { problem: thrown, write: "conflict" });
      resolve(thrown ? { problem: thrown } : problem ? { problem } : { ok });
    }
    setStatus();
    show(write);
  }

  function bindingOf(path, isShallow) {
    const here = () => placeAt(path, isShallow), url = `state${pathInURL(path)}`;
    const condition = (tag) =>
      tag && (tag === "-" ? { "If-None-Match": "*" } : { "If-Match": tag === "*" ? tag : `"${tag}"` });
    const subscribe = (run) => {
      const place = here();
      const stop = listen(place.listeners, run);
      clearTimeout(place.timer);
      if (!place.isWatched && !isClosed) {
        place.isWatched = true;
        hub.update();
      }
      run(place.snapshot.value);
      return () => {
        stop();
        if (!place.listeners.size) linger(place);
      };
    };
    function put(write) {
      const { place } = write;
      write.request = () => {
        write.before = place.value;
        write.body = composed(write, place.value, true);
        const tag = write.kind === "update" ? place.etag : write.tag ?? (write.creates ? undefined : "*");
        return ["PUT", url, condition(tag), stringify(write.body)];
      };
      return enqueue(write);
    }
    const binding = {
      subscribe,
      get value() { return here().snapshot.value; },
      get snapshot() { return here().snapshot; },
      get status() { return here().snapshot.status; },
      get shallow() { return placeAt(path, true).binding; },
      async *[Symbol.asyncIterator]() {
        let wake, last = binding;
        const run = () => wake?.(), stop = subscribe(run);
        wakers.add(run);
        try {
          while (!isClosed) {
            const { status, value } = binding.snapshot;
            if (status !== "loading" && value !== last) yield (last = value);
            else await new Promise((resolve) => { wake = resolve; });
          }
        } finally {
          stop();
          wakers.delete(run);
        }
      },
    };
    return isShallow ? binding : Object.assign(binding, {
      at: (key) => placeAt(`${path}/${escapeKey(key)}`).binding,
      set(value, { create = false, ifMatch } = {}) {
        const write = { kind: "set", place: here(), path, value, creates: create, isExact: !!ifMatch,
          tag: unquote(ifMatch), apply: () => composed(write) };
        return put(write);
      },
      update(change) {
        const write = { kind: "update", place: here(), path, change };
        // After it was sent, another value than before contains it, or this write will be repeated.
        write.apply = (value) =>
          (!write.order ? composed(write, value) : isEqual(value, write.before) ? write.body : value);
        return put(write);
      },
      remove() {
        const write = { kind: "remove", place: here(), path, apply: () => undefined };
        write.request = () => ["DELETE", url, condition(write.tag)];
        return enqueue(write);
      },
      append(element) {
        const id = element?.id ?? (uuid.test(binding.value?.[0]?.id) ? newID() : undefined);
        const value = id === undefined ? element : { id, ...element };
        const write = { kind: "append", owner: here(), path, value, id };
        if (id !== undefined) {
          write.apply = (items) =>
            (!Array.isArray(items) || items.some((item) => item?.id === id) ? items : [...items, write.value]);
        }
        write.request = () => (id === undefined ? ["POST", url, undefined, stringify(value)]
          : ["PUT", `${url}/${encodeURIComponent(escapeKey(id))}`, { "If-None-Match": "*" }, stringify(write.value)]);
        return enqueue(write);
      },
    });
  }

  async function signIn(secret) {
    // No token contains a percent sign. A header cannot contain what it stands for here.
    const headers = { Authorization: `Bearer ${secret}`.replace(/[^\0-~]/g, "%") };
    const response = await request("POST", "session", headers).catch(() => undefined);
    if (!response?.ok) {
      return { problem: response ? await problemOf(response) : { kind: "offline", title: "No connection" } };
    }
    // With a session, the token is not kept: a sign-out in any tab then ends the access of all.
    token = page && (await request("GET", "session", undefined, undefined, { headers: {} }).catch(() => undefined))?.ok
      ? undefined : secret;
    session += 1;
    setStatus({ state: "connecting" });
    hub.restart();
    wakeAll();
    return { ok: undefined };
  }

  function refuseAll(kind, title) {
    while (queue.length) finish(queue[0], { problem: { kind, title } });
  }

  function endSession() {
    token = undefined;
    hub.stop({ state: "signedOut" });
    refuseAll("signedOut", "The session has ended");
    wakeAll();
  }

  function flush() {
    let size = 0;
    for (const [index, write] of queue.entries()) {
      // Sent at the same time, a value that a later one replaces could be the last to arrive.
      const isReplacedBy = (one) => one.kind === "set" && !one.isExact && one.place === write.place;
      if (!write.creates && queue.slice(index + 1).some(isReplacedBy)) continue;
      if (write.kind === "update" && write.place.status !== "present") break;
      try { write.order ??= write.request(); } catch { continue; }
      if ((size += write.order[3]?.length ?? 0) > maximumFlushBytes) break;
      submit(write, { keepalive: true, signal: undefined }).catch(() => {});
    }
  }

  const events = new AbortController();
  if (page) {
    // Until `events`, whose `signal` is an option of listeners, is aborted.
    const on = (type, run, target = page) => target.addEventListener(type, run, events);
    on("online", () => { wakeAll(); hub.reopen(); }, globalThis);
    on("offline", () => setStatus({ state: "offline", reason: "No connection" }), globalThis);
    on("pagehide", () => { hub.stop(); flush(); }, globalThis);
    on("pageshow", ({ persisted }) => persisted && hub.restart(), globalThis);
    on("freeze", () => hub.stop());
    on("resume", () => hub.restart());
    on("visibilitychange", () => { hub.update(); if (!page.hidden) wakeAll(); });
  }

  const order = (method, path, body, headers) =>
    enqueue({ kind: "request", path: "", value: body, request: () => [method, path, headers, stringify(body)] });

  return {
    at: (path) => placeAt(path === "/" ? "" : path).binding,
    commit: (operations) => order("PATCH", "state", operations, { "Content-Type": "application/json-patch+json" }),
    revert(revision) {
      const id = histories.get(revision) ?? history;
      return order("POST", `history/${revision}/revert${id ? `?history=${id}` : ""}`);
    },
    async *history({ after, limit = Infinity } = {}) {
      while (limit > 0) {
        const from = after === undefined ? "" : `&after=${after}`;
        const response = await request("GET", `history?limit=${Math.min(limit, 100)}${from}`);
        if (!response.ok) {
          const problem = await problemOf(response);
          throw Object.assign(Error(problem.title), problem);
        }
        const { revisions } = parse(response.content);
        if (!revisions.length) return;
        for (const { revision } of revisions) remember(revision, response);
        yield* revisions;
        after = revisions.at(-1).revision;
        limit -= revisions.length;
      }
    },
    status: {
      get value() { return status; },
      subscribe(run) {
        run(status);
        return listen(statusListeners, run);
      },
    },
    signIn,
    async signOut() {
      const response = await request("DELETE", "session");
      if (!response.ok && response.status !== 401) throw await problemOf(response);
      hub.post({ type: "leave" });
      endSession();
    },
    close() {
      isClosed = true;
      events.abort();
      hub.stop();
      for (const place of places.values()) clearTimeout(place.timer);
      refuseAll("offline", "The client is closed");
      wakeAll();
    },
  };
}

/** The places of all tabs of a browser, and the stream for them, which the leading tab opens. */
function createHub(client) {
  const { base, keeps, receive, request, problemOf, seen, setStatus, retry, places, attach, refuse, leave } = client;
  const tab = newID(), members = new Map();
  const isShared = page && navigator.locks;
  let isRunning, name, channel, candidacy, release, releaseTab, term = 0, lastBeat = 0, hiddenSince;
  let beat, batch, current, opening, attached = new Map(), isWaiting, failures = 0, lastStatus;

  const post = (message) => channel?.postMessage({ from: tab, term, ...message });
  const presence = () => ({ places: places(), isVisible: keeps || !page?.hidden });
  function act({ type, event, history, entries, path, problem, change }) {
    if (type === "event") receive(event, history);
    else if (type === "attach") attach(entries);
    else if (type === "refuse") refuse(path, problem);
    if (change) setStatus(change);
  }

  const share = (message) => { act(message); post(message); };
  const tell = (change) => share({ change: (lastStatus = change) });

  async function start() {
    isRunning = true;
    beat = setInterval(tick, heartbeatTime);
    beat.unref?.();
    if (!isShared) return lead(() => {});
    let group;
    for (let tries = 0; isRunning && !group;) {
      const response = await request("GET", "session").catch(() => undefined);
      if (response?.ok) ({ group } = parse(response.content));
      else if (response?.status === 401) return stop({ state: "signedOut" });
      else await retry(response?.statusText, delayAfter(response, tries++));
    }
    name = `bindery ${base} ${group}`;
    // The leader waits for this lock until the tab is gone.
    await new Promise((hold) => {
      navigator.locks.request(`${name} ${tab}`, () => new Promise((resolve) => { hold(releaseTab = resolve); }));
    });
    if (!isRunning || channel) return releaseTab();
    channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }) => take(data);
    lastBeat = Date.now();
    post({ type: "watch", ...presence() });
    stand();
  }

  function stand(options) {
    candidacy?.abort();
    const mine = (candidacy = new AbortController());
    navigator.locks.request(name, options ?? { signal: mine.signal }, () =>
      isRunning && candidacy === mine ? new Promise(lead) : undefined,
    ).catch(() => {}).finally(() => {
      if (candidacy !== mine) return;
      resign();
      if (isRunning) stand();
    });
  }

  function lead(resolve) {
    release = resolve;
    term = Math.max(term + 1, Date.now());
    post({ type: "lead" });
    schedule();
  }

  function resign() {
    release = undefined;
    members.clear();
    close();
  }

  function stop(change) {
    isRunning = false;
    clearInterval(beat);
    post({ type: "bye" });
    candidacy?.abort();
    candidacy = undefined;
    release?.();
    releaseTab?.();
    channel?.close();
    channel = releaseTab = undefined;
    resign();
    if (change) setStatus(lastStatus = change);
  }

  function take(message) {
    const { type, from } = message;
    if (type === "leave") return leave();
    if (type === "watch" || type === "bye") {
      if (!release) return;
      if (type === "bye") members.delete(from);
      else {
        if (!members.has(from)) {
          navigator.locks.request(`${name} ${from}`, () => members.delete(from));
        }
        members.set(from, message);
        post({ type: "attach", entries: attached, change: lastStatus });
      }
      return schedule();
    }
    if (message.term < term) return;
    if (release && message.term > term) return release();
    lastBeat = Date.now();
    if (message.term > term) {
      term = message.term;
      post({ type: "watch", ...presence() });
    }
    act(message);
  }

  function tick() {
    const isVisible = keeps || !page?.hidden, others = [...members.values()].some((member) => member.isVisible);
    if (!release) {
      if (channel && isVisible && Date.now() - lastBeat > maximumTime) stand({ steal: true });
      return;
    }
    post({ type: "lead", change: lastStatus });
    if (!isVisible && others && channel) return release();
    hiddenSince = isVisible || others ? undefined : hiddenSince ?? Date.now();
    if (Date.now() - hiddenSince >= hiddenTime) close();
    else if (isVisible && !current && !opening && !isWaiting && lastStatus?.state !== "signedOut") schedule();
  }

  function union() {
    const all = new Map();
    for (const { places: list } of [presence(), ...members.values()]) {
      for (const [path, { have, shallow }] of list) {
        const other = all.get(path) ?? { have, shallow };
        all.set(path, { have: have === other.have ? have : undefined, shallow: shallow && other.shallow });
      }
    }
    // Places that are shown stay, and those that were added are refused.
    const paths = [...all.keys()].sort((a, b) => attached.has(b) - attached.has(a));
    for (const [index, path] of paths.entries()) {
      const isText = path !== "/" && path.isWellFormed();
      if (isText && index < maximum) continue;
      all.delete(path);
      reject(path, isText ? { kind: "tooManyPlaces", title: "Too many places" } : { kind: "refused", title: "No text" });
    }
    return all;
  }

  function reject(path, problem) {
    for (const member of members.values()) member.places = member.places.filter(([other]) => other !== path);
    share({ type: "refuse", path, problem });
  }

  function schedule() {
    batch ??= setTimeout(() => {
      batch = undefined;
      if (!release) return;
      const all = union();
      if (!all.size) close();
      else if (!opening && (!(current || isWaiting) || [...all].some(([path, { have, shallow }]) =>
        // The stream has announced a value that a tab does not know. It still sends one that it has not announced.
        !attached.has(path) || !have && attached.get(path).have || !shallow && attached.get(path).shallow))) open(all);
    }, batchTime);
  }

  function close() {
    current?.abort();
    opening?.abort();
    current = opening = undefined;
    attached = new Map();
  }

  async function open(all) {
    const mine = (opening = new AbortController());
    const list = [...all].map(([path, entry]) => ({ path: path || "/", ...entry }));
    let silence, live, delay, problem, response;
    const listen = () => { clearTimeout(silence); silence = setTimeout(() => mine.abort(), silenceTime); };
    try {
      listen();
      if (!current) tell({ state: "connecting" });
      response = await request("POST", "events", seen(), stringify(list), { signal: mine.signal });
      const history = response.headers.get("State-History");
      if (!response.ok) {
        problem = await problemOf(response);
      } else {
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let text = "", item; !(item = await reader.read()).done;) {
          listen();
          if (opening === mine) {
            current?.abort();
            [current, opening, attached] = [mine, undefined, all];
            live = setTimeout(() => { failures = 0; }, liveTime);
            tell({ state: "live" });
            share({ type: "attach", entries: all });
            // Places that were added meanwhile.
            schedule();
          }
          const messages = (text + item.value).split("\n\n");
          text = messages.pop();
          for (const message of messages) {
            const fields = Object.fromEntries(message.split("\n").map((line) => line.split(/: ?(.*)/s)));
            if (fields.retry) delay = Number(fields.retry);
            if (fields.event === "cancel") problem = { status: 401, ...JSON.parse(fields.data) };
            else if (fields.data && current === mine) {
              const event = parse(fields.data);
              for (const { path, etag } of event.changes) {
                // What a tab reported is old now.
                for (const list of [all, ...[...members.values()].map((member) => new Map(member.places))]) {
                  const entry = list.get(path === "/" ? "" : path);
                  if (entry) entry.have = etag;
                }
              }
              share({ type: "event", event, history });
            }
          }
        }
      }
    } catch { /* The connection is lost, or the stream was closed here. */ }
    clearTimeout(silence);
    clearTimeout(live);
    mine.abort();
    if (current === mine) current = undefined;
    else if (opening === mine) opening = undefined;
    else return;
    if (problem?.status === 401) return tell({ state: "signedOut", reason: problem.reason });
    const { pointer, status } = problem ?? {}, named = pointer === "/" ? "" : pointer;
    const added = [...all.keys()].filter((path) => !attached.has(path)).sort((a, b) => b.length - a.length);
    // A problem is that of the place that it names, of the longest path, or else of the places that were added.
    const refused = all.has(named) ? [named] : status === 413 ? added.slice(0, 1)
      : current && status < 429 ? added : [];
    if (refused.length) {
      for (const path of refused) reject(path, problem);
      return schedule();
    }
    delay ??= delayAfter(response, failures);
    failures += 1;
    if (current) {
      // The current stream stays open. It does not include the new places.
      await retry(undefined, delay, undefined, () => {});
      return schedule();
    }
    attached = new Map();
    isWaiting = true;
    await retry(problem?.detail ?? problem?.title, delay, failures > 1 || problem ? "offline" : "connecting", tell);
    isWaiting = false;
    schedule();
  }

  return {
    post, stop,
    state: () => lastStatus?.state ?? "live",
    update() {
      if (!isRunning) { if (places().length) start(); } else if (release) schedule();
      else post({ type: "watch", ...presence() });
    },
    reopen() {
      opening?.abort();
      opening = undefined;
      attached = new Map();
      this.update();
    },
    restart() {
      stop();
      if (places().length) start();
    },
  };
}
