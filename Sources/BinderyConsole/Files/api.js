// Requests to the server, the session of the page, and small helpers for the DOM.

import { parseJSON, urlOf, visible } from "./schema.js";

/** The time after which a request counts as unanswered, in milliseconds. */
const timeout = 15_000;

/** The access of this page: `{access, group}`. The server tells it; without it, nothing can be written. */
export let session = { access: "read", group: "" };

export const mayWrite = () => session.access === "write";
export const needsToken = () => session.group !== "anonymous";

/** Creates an element. Texts are set as text, never as markup. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.includes("-") || name === "role" || name === "for") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const button = (text, onclick, properties = {}) =>
  make("button", { type: "button", textContent: text, onclick, ...properties });

/** Creates a button that needs the server: it is disabled while the page is offline. */
export const writeButton = (text, onclick, { className = "", ...properties } = {}) => button(text, onclick,
  { ...properties, className: `writes ${className}`, disabled: document.body.classList.contains("offline") });

/** A text that is new for each write (`Idempotency-Key`). `randomUUID` would need HTTPS. */
export const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** The request failed: the server's problem (RFC 9457), or no answer. */
export class Failure extends Error {
  constructor(status, problem) {
    super(problem.detail ?? problem.title ?? `The server answered with status ${status}.`);
    this.status = status;
    this.problem = problem;
  }
}

/** Returns whether the server may have done what was asked for: it gave no answer, or does not know. */
export const isUnanswered = ({ status }) => status === 0 || status === 503;

/**
 * Sends a request, and signs in when the server asks for it.
 *
 * @returns `{headers, value, etag, revision}`
 */
export async function request(method, url, { body, headers = {}, signal } = {}) {
  // A URL would lose these keys, and lead to another place.
  if (/\/\.{0,2}(\/|\?|$)/.test(url)) {
    throw new Failure(400, { title: "The keys “.” and “..”, and an empty key, cannot be part of a URL." });
  }
  let response;
  let text;
  try {
    const limit = AbortSignal.timeout(timeout);
    response = await fetch(url, {
      method, body, headers: body === undefined ? headers : { "Content-Type": "application/json", ...headers },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure(0, { title: "The server does not answer." });
  }
  if (response.status === 401) {
    await signIn();
    return request(method, url, { body, headers, signal });
  }
  const isJSON = /json/.test(response.headers.get("Content-Type") ?? "");
  const value = isJSON && text ? parseJSON(text) : undefined;
  if (!response.ok) throw new Failure(response.status, value ?? {});
  const { headers: fields } = response;
  return { headers: fields, value, etag: fields.get("ETag")?.replace(/^W\/|"/g, ""),
    revision: Number(fields.get("State-Revision")) };
}

export const read = (pointer) => request("GET", urlOf(pointer));

const dialog = document.getElementById("sign-in");
let signingIn = null;

export function signIn() {
  signingIn ??= new Promise((resolve) => {
    const form = dialog.querySelector("form");
    const field = form.elements.token;
    const error = form.querySelector(".error");
    field.value = error.textContent = "";
    form.onsubmit = async (event) => {
      event.preventDefault();
      error.textContent = await startSession(field.value.trim());
      if (error.textContent) return field.select();
      field.value = "";
      dialog.onclose = null;
      dialog.close();
      resolve();
      await loadSession();
    };
    // A second Esc closes a dialog, even if its first event was cancelled.
    dialog.onclose = () => dialog.showModal();
    dialog.showModal();
  }).finally(() => { signingIn = null; });
  return signingIn;
}

async function startSession(token) {
  // Other characters are not allowed in a bearer token (RFC 6750 §2.1).
  if (!/^[\w.~+/-]+=*$/.test(token)) return "This is not a valid token.";
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch("session", { method: "POST", headers }).catch(() => null);
  if (response?.ok) return "";
  if (!response) return "The server does not answer.";
  return response.status === 401 ? "The server does not accept this token." : `Status ${response.status}.`;
}

export async function loadSession() {
  session = (await request("GET", "session")).value;
  document.body.classList.toggle("read-only", !mayWrite());
  document.getElementById("read-only").hidden = mayWrite();
  document.getElementById("sign-out").hidden = !needsToken();
  dispatchEvent(new Event("session"));
}

export async function signOut() {
  await request("DELETE", "session");
  location.reload();
}

const notices = document.getElementById("notices");

/** Shows what has succeeded, with an optional action, for ten seconds. It is not announced. */
export const notify = (text, action, label) => show(make("p", { className: "notice" }, text), action, label);

/** Shows and announces what was refused, for ten seconds. */
export const warn = (text) => show(make("p", { className: "notice", role: "alert" }, visible(text)));

/** Copies a text. Browsers permit it on HTTPS and localhost only; elsewhere, the text is shown. */
export async function copy(text, name) {
  try {
    const copied = await text();
    try {
      await navigator.clipboard.writeText(copied);
      notify(`Copied: ${name}`);
    } catch {
      prompt(name, copied);
    }
  } catch ({ message }) {
    warn(message);
  }
}

function show(box, action, label) {
  if (action) box.append(button(label, () => { box.remove(); action(); }));
  notices.replaceChildren(box);
  setTimeout(() => box.remove(), 10_000);
}
