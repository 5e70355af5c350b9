import { Component } from "../component.js";
import { DishRow } from "./dish.js";

/** The pinned dish. The container renders when another dish is pinned. The dish renders itself. */
export class PinnedDish {
  #sheet;
  #container;
  #row = null;

  constructor(element, sheet) {
    this.#sheet = sheet;
    this.#container = new PinnedContainer(element);
  }

  set(dish) {
    const id = dish?.id ?? null;
    if (id !== this.#container.value) {
      this.#row = id && new DishRow({ dish, isPinned: true }, this.#sheet);
      this.#container.row = this.#row;
    }
    this.#row?.set({ dish, isPinned: true });
    this.#container.set(id);
  }
}

class PinnedContainer extends Component {
  row = null;

  render() {
    const empty = document.getElementById("pinned-empty");
    empty.hidden = this.row !== null;
    this.element.querySelector(".dish")?.remove();
    if (this.row) this.element.append(this.row.element);
  }
}
