import { Component } from "../component.js";
import { DishRow } from "./dish.js";

/** The place of the pinned dish: drawn when another dish is pinned, or none; the dish draws itself. */
export class PinnedDish {
  #sheet;
  #place;
  #row = null;

  constructor(element, sheet) {
    this.#sheet = sheet;
    this.#place = new PinnedPlace(element);
  }

  set(dish) {
    const id = dish?.id ?? null;
    if (id !== this.#place.value) {
      this.#row = id && new DishRow({ dish, isPinned: true }, this.#sheet);
      this.#place.row = this.#row;
    }
    this.#row?.set({ dish, isPinned: true });
    this.#place.set(id);
  }
}

class PinnedPlace extends Component {
  row = null;

  draw() {
    const empty = document.getElementById("pinned-empty");
    empty.hidden = this.row !== null;
    this.element.replaceChildren(empty, ...(this.row ? [this.row.element] : []));
  }
}
