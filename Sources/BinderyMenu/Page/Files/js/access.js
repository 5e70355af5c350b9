// Authentication: asks for a token if the server requires one, and exchanges it for a session cookie that scripts
// cannot read.

import { showMessage } from "./component.js";
import { control } from "./dom.js";

const dialog = document.getElementById("sign-in");
const field = dialog.querySelector("#token");
const reasonElement = dialog.querySelector("#sign-in-reason");
const errorElement = dialog.querySelector("#sign-in-error");
const button = control(dialog, "sign-in");

/** The promise of the open dialog, or null if it is closed. */
let pending = null;

/**
 * Asks the user for a token, and returns when the server has accepted one.
 *
 * @param reason the text above the token field
 */
export function signIn(reason = "This menu requires a token.") {
  pending ??= new Promise((resolve) => {
    reasonElement.textContent = reason;
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
  try {
    showMessage(errorElement, await startSession(field.value.trim()));
  } finally {
    button.disabled = false;
  }
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
  try {
    const response = await fetch("/session", { method: "POST", headers: { Authorization: `Bearer ${token}` } });
    if (response.ok) return "";
    if (response.status === 401) return "The server does not accept this token.";
    return `The server returned status ${response.status}.`;
  } catch {
    return "The server does not respond.";
  }
}
