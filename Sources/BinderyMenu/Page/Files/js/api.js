// Writes to the state. The requests of one window are sent one at a time, in the order of the user's actions.

import { signIn } from "./access.js";
import { connectionHint } from "./connections.js";
import { waitForRevision } from "./state.js";

/** An error response of the server: a problem document (RFC 9457). */
export class ProblemError extends Error {
  constructor(status, problem) {
    const { title = `The server returned status ${status}`, detail, pointer } = problem;
    super([title + (detail ? ":" : "."), detail, pointer && `(at ${pointer})`].filter(Boolean).join(" "));
    this.status = status;
    this.problem = problem;
  }

  /** The last path segment of the problem type. */
  get kind() {
    return this.problem.type?.split("/").at(-1);
  }
}

/** The server did not respond. Whether the write was performed is unknown. */
export class ConnectionError extends Error {
  constructor(hint = "") {
    super(`The server does not respond. This change may not be saved.${hint}`);
  }
}

/** The request timeout in milliseconds. */
const timeout = 10_000;

/** The completion of the latest request, which the next request waits for. */
let lastRequest = Promise.resolve();
let isLeaving = false;

// A page that is being unloaded cannot wait for earlier requests.
addEventListener("pagehide", () => { isLeaving = true; });
addEventListener("pageshow", () => { isLeaving = false; });

export const put = (path, value) => send("PUT", path, value);
export const patch = (path, value) => send("PATCH", path, value);
export const remove = (path) => send("DELETE", path);

/** Sends a JSON Patch (RFC 6902), which is applied atomically in one revision. */
export const jsonPatch = (path, operations) => send("PATCH", path, operations, "application/json-patch+json");

/** Sends a write, and returns when this window shows its result. */
async function send(method, path, value, type = "application/json") {
  const previous = isLeaving ? Promise.resolve() : lastRequest;
  const request = previous.then(() => exchange(method, path, value, type));
  lastRequest = request.catch(() => {});
  const response = await request;
  if (response.headers.get("State-Changed") === "?1") {
    await waitForRevision(Number(response.headers.get("State-Revision")));
  }
}

/** Sends one request. Signs in and repeats it if the session has expired. */
async function exchange(method, path, value, type) {
  const headers = { Prefer: "return=minimal" };
  if (value !== undefined) headers["Content-Type"] = type;
  let response;
  try {
    response = await fetch("state" + path, {
      method, headers, body: JSON.stringify(value), keepalive: true, signal: AbortSignal.timeout(timeout),
    });
  } catch (error) {
    throw new ConnectionError(error.name === "TimeoutError" ? connectionHint() : "");
  }
  if (response.ok) return response;
  if (response.status === 401) {
    await signIn("Sign in again to save your change.");
    return exchange(method, path, value, type);
  }
  if ([502, 503, 504].includes(response.status)) throw new ConnectionError();
  throw new ProblemError(response.status, await response.json().catch(() => ({})));
}
