// Who may: where the server asks for a token, so does the page. What it keeps of it is a cookie that no script can read.

import { tell } from "./component.js";
import { control } from "./dom.js";

const dialog = document.getElementById("sign-in");
const field = dialog.querySelector("#token");
const reason = dialog.querySelector("#sign-in-reason");
const error = dialog.querySelector("#sign-in-error");
const button = control(dialog, "sign-in");

let pending = null;

/**
 * Asks for a token, and returns when the server has taken one.
 *
 * @param why what the person should know
 */
export function signIn(why = "This menu is not open to everybody.") {
  pending ??= new Promise((resolve) => {
    reason.textContent = why;
    field.value = "";
    tell(error, "");
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
    tell(error, await begin(field.value.trim()));
  } finally {
    button.disabled = false;
  }
  if (!error.hidden) return field.select();
  field.value = "";
  dialog.close();
  dialog.dispatchEvent(new Event("signed-in"));
});

// Without a token there is nothing to see: Escape does not help.
dialog.addEventListener("cancel", (event) => event.preventDefault());
dialog.addEventListener("close", () => pending && !dialog.open && dialog.showModal());

/** Begins a session; returns what is wrong, or nothing. */
async function begin(token) {
  // What else cannot stand in a header is no token either.
  if (!/^[\w.~+/-]+=*$/.test(token)) return "That is no token.";
  try {
    const answer = await fetch("/session", { method: "POST", headers: { Authorization: `Bearer ${token}` } });
    if (answer.ok) return "";
    return answer.status === 401 ? "The server does not know this token." : `The server answers ${answer.status}.`;
  } catch {
    return "The server does not answer.";
  }
}
