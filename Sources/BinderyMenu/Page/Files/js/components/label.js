import { Component } from "../component.js";

/** A text computed from a value. */
export class Label extends Component {
  #format;
  #text = document.createTextNode("");

  constructor(element, format) {
    super(element);
    this.#format = format;
    element.prepend(this.#text);
  }

  render(value) {
    this.#text.data = this.#format(value);
  }
}
