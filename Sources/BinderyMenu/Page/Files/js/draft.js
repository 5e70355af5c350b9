// The unsaved input of a field, from the first key until the server has saved it. Until then, values from the server do
// not overwrite the field.

import { ProblemError } from "./state.js";

const unsaved = new Set();

/** Sends all unsaved input. */
function flushAll() {
  for (const draft of [...unsaved]) draft.flush();
}

// Before the client sends the writes that wait.
addEventListener("pagehide", flushAll, { capture: true });
// A hidden page may never run again.
document.addEventListener("visibilitychange", () => document.hidden && flushAll());

export class Draft {
  #field;
  #read;
  #show;
  #write;
  #delay;
  #timer = 0;
  /** `clean`, `edited`, `sending`, or `rejected`. */
  #state = "clean";
  /** The latest value from the server. */
  #serverValue;
  #sending = null;

  /**
   * @param read returns the value of the field, or undefined while the input is incomplete, such as half a date
   * @param show puts a value into the field
   * @param write sends a value, and throws if that fails
   * @param delay the debounce time after a key, in milliseconds
   */
  constructor(field, { read, show, write, delay = 300 }) {
    this.#field = field;
    this.#read = read;
    this.#show = show;
    this.#write = write;
    this.#delay = delay;
    field.addEventListener("input", (event) => event.isComposing || this.markEdited());
    field.addEventListener("compositionend", () => this.markEdited());
    field.addEventListener("change", () => this.flush());
    field.addEventListener("blur", () => this.#didBlur());
  }

  /** Whether the server has saved all input. */
  get isSaved() {
    return this.#state === "clean";
  }

  /** Call when the value of the field has changed. */
  markEdited() {
    this.#state = "edited";
    unsaved.add(this);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), this.#delay);
  }

  /** Call when the server has sent a value. */
  receive(value) {
    if (value === this.#serverValue) return;
    this.#serverValue = value;
    if (this.isSaved || (this.#state === "rejected" && document.activeElement !== this.#field)) this.discard();
  }

  /** Discards the input and shows the value of the server. */
  discard() {
    clearTimeout(this.#timer);
    this.#state = "clean";
    unsaved.delete(this);
    this.#show(this.#serverValue);
  }

  /** Sends the input now. With `retry`, also sends a value that the server has rejected before. */
  flush({ retry = false } = {}) {
    clearTimeout(this.#timer);
    if (retry && this.#state === "rejected") this.#state = "edited";
    this.#sending ??= this.#send().finally(() => { this.#sending = null; });
    return this.#sending;
  }

  async #send() {
    while (this.#state === "edited") {
      const value = this.#read();
      if (value === undefined) return;
      this.#state = "sending";
      let result = "clean";
      try {
        await this.#write(value);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        result = "rejected";
      }
      // The field was edited or discarded in the meantime.
      if (this.#state !== "sending") continue;
      this.#state = result;
      if (result === "clean") this.discard();
    }
  }

  /** Discards incomplete input when the field loses focus. */
  #didBlur() {
    if (this.#state === "edited" && this.#read() === undefined) this.discard();
  }
}
