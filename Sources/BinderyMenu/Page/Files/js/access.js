// Authentication: asks for a token if the server requires one, and exchanges it for a session cookie that scripts
// cannot read. Without a write token, the controls are disabled.

import { showMessage } from "./component.js";
import { control, onClick } from "./dom.js";
import { showNotice } from "./notice.js";
import { client } from "./state.js";

const dialog = document.getElementById("sign-in");
const field = dialog.querySelector("#token");
const reasonElement = dialog.querySelector("#sign-in-reason");
const errorElement = dialog.querySelector("#sign-in-error");
const button = control(dialog, "sign-in");

const menu = document.getElementById("menu");
const signOutButton = document.getElementById("sign-out");
const badge = document.getElementById("read-only");

/** The group of clients that need no token. */
const anonymous = "anonymous";

/** The promise of the open dialog, or null if it is closed. */
let pending = null;

/** The access of this window, once it is known: `{access, group}`. */
let session = null;

/** Whether the server requires a token. */
export const needsToken = () => session !== null && session.group !== anonymous;

/** Whether this window may write. */
export const mayWrite = () => session?.access === "write";

/**
 * Asks the server what this window may do, and enables or disables the controls. Asks the user for a token if the server
 * requires one. Throws if there is no answer.
 */
export async function loadAccess() {
  const response = await fetch("session", { signal: AbortSignal.timeout(timeout) });
  if (response.status === 401) {
    await signIn();
    return loadAccess();
  }
  if (!response.ok) throw new Error(`The server returned status ${response.status}`);
  session = await response.json();
  enableControls();
  badge.hidden = mayWrite();
  signOutButton.hidden = !needsToken();
}

/** Enables the controls that change the menu, or disables them. Call after components were rendered. */
export function enableControls() {
  for (const control of menu.querySelectorAll("button:not(.path), input")) control.disabled = !mayWrite();
}

/** The request timeout in milliseconds. */
const timeout = 10_000;

onClick(signOutButton, async () => {
  try {
    const response = await fetch("session", { method: "DELETE", signal: AbortSignal.timeout(timeout) });
    // With the status 401 the session has ended already.
    if (!response.ok && response.status !== 401) throw new Error(`The server returned status ${response.status}.`);
    // The page starts again, without the data of the session.
    location.reload();
  } catch (error) {
    showNotice(`You are still signed in: ${error.name === "Error" ? error.message : "the server does not respond."}`);
  }
});

const reasons = {
  "session-expired": "Your session has expired.",
  "token-revoked": "Your access to this menu was revoked.",
};

/**
 * Asks the user for a token, and returns when the server has accepted one.
 *
 * @param reason the reason that the server gives, if it gives one
 */
export function signIn(reason) {
  pending ??= new Promise((resolve) => {
    reasonElement.textContent = reasons[reason]
      ?? (session ? "Your session has ended." : "This menu requires a token.");
    field.value = "";
    showMessage(errorElement, "");
    dialog.showModal();
    field.focus();
    dialog.addEventListener("signed-in", resolve, { once: true });
  }).finally(() => { pending = null; });
  return pending;
}

dialog.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  if (button.disabled) return;
  button.disabled = true;
  showMessage(errorElement, await startSession(field.value.trim()));
  button.disabled = false;
  if (!errorElement.hidden) return field.select();
  field.value = "";
  dialog.close();
  dialog.dispatchEvent(new Event("signed-in"));
});

// The page is useless without a token, so Escape must not close the dialog.
dialog.addEventListener("cancel", (event) => event.preventDefault());
dialog.addEventListener("close", () => pending && !dialog.open && dialog.showModal());

/** Starts a session. Returns an error message, or an empty string on success. */
async function startSession(token) {
  // Other characters are not allowed in a bearer token (RFC 6750 §2.1), and some not even in a header.
  if (!/^[\w.~+/-]+=*$/.test(token)) return "This is not a valid token.";
  const { problem } = await client.signIn(token);
  if (!problem) return "";
  if (problem.status === 401) return "The server does not accept this token.";
  return problem.status ? `The server returned status ${problem.status}.` : "The server does not respond.";
}
