// What a person has typed into a field, from the first key until the server has it and the window shows it.
// Until then nothing that is heard overwrites it.

import { Refusal, Unreachable } from "./api.js";

const unsaved = new Set();

/** Sends all that is typed and not yet sent. */
export function flushAll() {
  for (const draft of [...unsaved]) draft.flush();
}

addEventListener("pagehide", flushAll);

export class Draft {
  #field;
  #read;
  #show;
  #write;
  #delay;
  #timer = 0;
  /** `clean`, `typed`, `sending`, or `refused`. */
  #state = "clean";
  #heard;
  #sending = null;

  /**
   * @param read the field's value; undefined while it is not one yet, as half a date is
   * @param show puts a value into the field
   * @param write sends a value; throws where that fails
   * @param delay how long to wait for the next key, in milliseconds
   */
  constructor(field, { read, show, write, delay = 300 }) {
    this.#field = field;
    this.#read = read;
    this.#show = show;
    this.#write = write;
    this.#delay = delay;
    field.addEventListener("input", (event) => event.isComposing || this.touch());
    field.addEventListener("compositionend", () => this.touch());
    field.addEventListener("change", () => this.flush());
    field.addEventListener("blur", () => this.#leave());
  }

  /** Whether the server has all that was typed. */
  get isSaved() {
    return this.#state === "clean";
  }

  /** The field has another value now. */
  touch() {
    this.#state = "typed";
    unsaved.add(this);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), this.#delay);
  }

  /** The state has another value now. */
  hear(value) {
    if (value === this.#heard) return;
    this.#heard = value;
    if (this.isSaved || (this.#state === "refused" && document.activeElement !== this.#field)) this.drop();
  }

  /** Forgets what is typed and shows what is heard. */
  drop() {
    clearTimeout(this.#timer);
    this.#state = "clean";
    unsaved.delete(this);
    this.#show(this.#heard);
  }

  /** Sends what is typed now; what was refused too, if it is asked for `again`. */
  flush({ again = false } = {}) {
    clearTimeout(this.#timer);
    if (again && this.#state === "refused") this.#state = "typed";
    this.#sending ??= this.#send().finally(() => { this.#sending = null; });
    return this.#sending;
  }

  async #send() {
    while (this.#state === "typed") {
      const value = this.#read();
      if (value === undefined) return;
      this.#state = "sending";
      let end = "clean";
      try {
        await this.#write(value);
      } catch (error) {
        if (error instanceof Unreachable) end = "typed";
        else if (error instanceof Refusal) end = "refused";
        else throw error;
      }
      // More was typed meanwhile, or the draft was dropped.
      if (this.#state !== "sending") continue;
      this.#state = end;
      if (end === "clean") this.drop();
      // It stays unsaved, and goes out when the stream is live again.
      if (end === "typed") return;
    }
  }

  /** A field that holds no value shows what is heard once it is left. */
  #leave() {
    if (this.#state === "typed" && this.#read() === undefined) this.drop();
  }
}
