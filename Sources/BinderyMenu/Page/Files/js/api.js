// Writes to the state. Those of one window are made one after the other, in the order of its clicks and keys.

import { signIn } from "./access.js";
import { reached } from "./state.js";

/** The server refuses a write, and says why (RFC 9457). */
export class Refusal extends Error {
  constructor(status, problem) {
    const { title = `The server answers ${status}`, detail, pointer } = problem;
    super([title + (detail ? ":" : "."), detail, pointer && `(at ${pointer})`].filter(Boolean).join(" "));
    this.status = status;
    this.problem = problem;
  }

  /** The last part of its type. */
  get kind() {
    return this.problem.type?.split("/").at(-1);
  }
}

/** No answer came: whether the write was made is not known. */
export class Unreachable extends Error {
  constructor() {
    super("The server does not answer, so this may not be saved.");
  }
}

/** How long an answer may take, in milliseconds. */
const patience = 10_000;

let last = Promise.resolve();
let isLeaving = false;

// A page that goes away cannot wait for its turn.
addEventListener("pagehide", () => { isLeaving = true; });
addEventListener("pageshow", () => { isLeaving = false; });

export const put = (path, value) => send("PUT", path, value);
export const patch = (path, value) => send("PATCH", path, value);
export const remove = (path) => send("DELETE", path);

/** A JSON Patch (RFC 6902): all of it or nothing, in one revision. */
export const transact = (path, operations) => send("PATCH", path, operations, "application/json-patch+json");

/** Makes a write, and returns when this window shows what came of it. */
async function send(method, path, value, type = "application/json") {
  const turn = isLeaving ? Promise.resolve() : last;
  const answer = turn.then(() => exchange(method, path, value, type));
  last = answer.catch(() => {});
  const response = await answer;
  if (response.headers.get("State-Changed") === "?1") await reached(Number(response.headers.get("State-Revision")));
}

async function exchange(method, path, value, type) {
  const headers = { Prefer: "return=minimal" };
  if (value !== undefined) headers["Content-Type"] = type;
  let response;
  try {
    response = await fetch("/state" + path, {
      method, headers, body: JSON.stringify(value), keepalive: true, signal: AbortSignal.timeout(patience),
    });
  } catch {
    throw new Unreachable();
  }
  if (response.ok) return response;
  if (response.status === 401) {
    await signIn("To save that, sign in again.");
    return exchange(method, path, value, type);
  }
  if ([502, 503, 504].includes(response.status)) throw new Unreachable();
  throw new Refusal(response.status, await response.json().catch(() => ({})));
}
