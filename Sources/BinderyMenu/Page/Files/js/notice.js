// A message at the bottom of the window, which is visible wherever the page is scrolled to.

import { showMessage } from "./component.js";
import { cloneTemplate, control, onClick } from "./dom.js";

const region = document.getElementById("notice");

/**
 * Shows a message until it is dismissed or replaced.
 *
 * @param code a command below the text
 * @param label the label of the button; without one there is no button
 * @param act called when the button is pressed; the message stays with the error if it throws one
 * @param returnFocus the element that gets the focus when the message is removed; with one, the button gets the focus
 */
export function showNotice(text, { code, label, act, returnFocus } = {}) {
  const box = cloneTemplate("notice-template");
  const [button, dismissal, error] = [control(box, "act"), control(box, "dismiss"), box.querySelector(".error")];
  box.querySelector("span").textContent = text;
  box.querySelector("code").textContent = code ?? "";
  button.textContent = label ?? "";
  button.hidden = label === undefined;
  const dismiss = () => {
    const hadFocus = box.contains(document.activeElement);
    box.remove();
    if (hadFocus && returnFocus?.isConnected) returnFocus.focus();
  };
  onClick(dismissal, dismiss);
  box.addEventListener("keydown", (event) => event.key === "Escape" && dismiss());
  onClick(button, async () => {
    button.disabled = true;
    try {
      await act();
      box.remove();
    } catch (failure) {
      showMessage(error, failure.message);
      button.disabled = false;
      button.focus();
    }
  });
  region.replaceChildren(box);
  if (returnFocus) button.focus();
}
