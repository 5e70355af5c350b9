import { Component } from "../component.js";

/** A text computed from a value. */
export class Label extends Component {
  #format;

  constructor(element, format) {
    super(element);
    this.#format = format;
  }

  render(value) {
    this.element.textContent = this.#format(value);
  }
}
