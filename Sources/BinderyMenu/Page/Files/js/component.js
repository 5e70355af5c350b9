// A component renders only when its own value changes. Each rendering changes its color and increments its counter.

import { textOf } from "./numbers.js";
import { ProblemError } from "./state.js";
import { setTint } from "./tint.js";

export class Component {
  /** The text of the rendered value. */
  #renderedText;
  #renders = 0;

  /** @param path the JSON Pointer of the value, if it is not in the markup */
  constructor(element, path) {
    this.element = element;
    if (path !== undefined) element.dataset.path = path;
  }

  /** Sets the value to show. The server sends canonical JSON, so equal texts mean equal values. */
  set(value) {
    const text = textOf(value);
    if (text === this.#renderedText) return;
    this.#renderedText = text;
    this.value = value;
    this.render(value);
    setTint(this.element);
    this.#renders += 1;
    this.element.dataset.renders = this.#renders;
  }

  /** Performs a write and shows its error in this component. Returns whether the write succeeded. */
  async perform(operation) {
    try {
      await this.performOrThrow(operation);
      return true;
    } catch (error) {
      if (error instanceof ProblemError) return false;
      throw error;
    }
  }

  /** Like `perform`, but throws the error after showing it. */
  async performOrThrow(operation) {
    try {
      await operation();
      this.showError("");
    } catch (error) {
      this.showError(error.message);
      throw error;
    }
  }

  /** Shows an error message. An empty message hides it. */
  showError(message) {
    showMessage(this.errorElement ?? this.element.querySelector(".error:last-of-type"), message);
  }
}

/** Shows a text in an element, or hides the element if the text is empty. */
export function showMessage(element, message) {
  if (element.textContent !== message) element.textContent = message;
  element.hidden = message === "";
}
