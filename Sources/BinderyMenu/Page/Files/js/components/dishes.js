import { Component } from "../component.js";
import { arrange, keyed, onClick } from "../dom.js";
import { DishRow } from "./dish.js";

/** The dishes without the pinned one: drawn when their order changes; each draws itself. */
export class DishList {
  #rows = new Map();
  #list;
  #sheet;

  constructor(element, sheet) {
    this.#sheet = sheet;
    this.#list = new Order(element, this.#rows);
    const add = new Component(document.getElementById("add"));
    add.errorElement = document.getElementById("add-error");
    onClick(add.element, () => add.act(() => sheet.open(null)));
  }

  take(dishes, pinnedID) {
    const items = dishes.filter((dish) => dish.id !== pinnedID).map((dish) => ({ dish, isPinned: false }));
    keyed(this.#rows, items, (item) => item.dish.id, (item) => new DishRow(item, this.#sheet));
    this.#list.set(items.map((item) => item.dish.id));
  }
}

class Order extends Component {
  #rows;
  #items = new WeakMap();

  constructor(element, rows) {
    super(element);
    this.#rows = rows;
  }

  draw(ids) {
    arrange(document.getElementById("dish-list"), ids.map((id) => this.#item(this.#rows.get(id))));
    document.getElementById("dishes-empty").hidden = ids.length > 0;
  }

  #item(row) {
    if (!this.#items.has(row)) {
      const item = document.createElement("li");
      item.append(row.element);
      this.#items.set(row, item);
    }
    return this.#items.get(row);
  }
}
