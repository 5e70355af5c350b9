// Requests to the service. All URLs are relative, so that the page also works below a path of a proxy.

import { byID } from "./dom.js";

const message = byID("message");

/** Sends a write; shows the reason if it is rejected. */
export async function send(method, path, value, headers = {}) {
  const body = value === undefined ? undefined : JSON.stringify(value);
  if (body) headers = { "Content-Type": "application/json", ...headers };
  const response = await fetch("state" + path, { method, body, headers }).catch(() => null);
  if (response?.status === 401) {
    await signIn();
    return send(method, path, value, headers);
  }
  const problem = response?.ok ? null : (await response?.json().catch(() => null)) ?? { title: "The server does not respond" };
  message.textContent = problem ? [problem.title, problem.detail].filter(Boolean).join(": ") : "";
  message.hidden = !problem;
}

/** The path of a device. */
export const devicePath = (id) => `/devices/${id}`;

const dialog = byID("sign-in");
let pending = null;

/** Asks for a token, and exchanges it for a session cookie that scripts cannot read. */
export function signIn() {
  pending ??= new Promise((resolve) => {
    dialog.showModal();
    dialog.addEventListener("close", resolve, { once: true });
  }).finally(() => { pending = null; });
  return pending;
}

dialog.addEventListener("cancel", (event) => event.preventDefault());
dialog.querySelector("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const token = event.target.token.value.trim();
  const error = dialog.querySelector(".error");
  const headers = { Authorization: `Bearer ${token}` };
  const isPlain = /^[\w.~+/=-]+$/.test(token);
  const response = isPlain ? await fetch("session", { method: "POST", headers }).catch(() => null) : null;
  error.hidden = response?.ok ?? false;
  error.textContent = response || !isPlain ? "The server does not accept this token." : "The server does not respond.";
  if (!response?.ok) return;
  event.target.reset();
  dialog.close();
});
