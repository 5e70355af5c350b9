import { Component } from "../component.js";

/** A text made of one value. */
export class Label extends Component {
  #text;

  constructor(element, text) {
    super(element);
    this.#text = text;
  }

  draw(value) {
    this.element.textContent = this.#text(value);
  }
}
