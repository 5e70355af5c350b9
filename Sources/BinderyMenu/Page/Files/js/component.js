// What is drawn only when its own value changes, and shows it: a new tint, and one more on its counter.

import { Refusal, Unreachable } from "./api.js";

export class Component {
  #drawn;
  #hue = Math.random() * 360;
  #renders = 0;

  constructor(element) {
    this.element = element;
  }

  /** Takes the value to show. Canonical JSON in, so that equal texts are equal values. */
  set(value) {
    const text = JSON.stringify(value);
    if (text === this.#drawn) return;
    this.#drawn = text;
    this.value = value;
    this.draw(value);
    // At least a sixth of the circle away, or nobody would see it.
    this.#hue = (this.#hue + 60 + Math.random() * 240) % 360;
    this.element.style.setProperty("--hue", this.#hue.toFixed(0));
    this.#renders += 1;
    this.element.dataset.renders = this.#renders;
  }

  /** Does a write; what goes wrong is told at this component. Returns whether all went well. */
  async act(work) {
    try {
      await this.attempt(work);
      return true;
    } catch (error) {
      if (error instanceof Refusal || error instanceof Unreachable) return false;
      throw error;
    }
  }

  /** As `act`, but throws on what goes wrong. */
  async attempt(work) {
    try {
      await work();
      this.tell("");
    } catch (error) {
      this.tell(error.message);
      throw error;
    }
  }

  /** Shows what went wrong; nothing, once it is mended. */
  tell(message) {
    tell(this.errorElement ?? this.element.querySelector(".error:last-of-type"), message);
  }
}

/** Shows a text in an element, or hides that. */
export function tell(element, message) {
  if (element.textContent !== message) element.textContent = message;
  element.hidden = message === "";
}
