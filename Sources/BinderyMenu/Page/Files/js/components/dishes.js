import { Component } from "../component.js";
import { arrangeChildren, onClick, reconcile } from "../dom.js";
import { DishRow } from "./dish.js";

/** The dishes except the pinned one. The list renders when the order changes. Each dish renders itself. */
export class DishList {
  #rows = new Map();
  #list;
  #sheet;

  constructor(element, sheet) {
    this.#sheet = sheet;
    this.#list = new DishOrder(element, this.#rows);
    const add = new Component(document.getElementById("add"));
    add.errorElement = document.getElementById("add-error");
    onClick(add.element, () => add.perform(() => sheet.open(null)));
  }

  update(dishes, pinnedID) {
    const items = dishes.filter((dish) => dish.id !== pinnedID).map((dish) => ({ dish, isPinned: false }));
    reconcile(this.#rows, items, (item) => item.dish.id, (item) => new DishRow(item, this.#sheet));
    this.#list.set(items.map((item) => item.dish.id));
  }
}

/** The list of rows. Its value is the ids of the dishes in order. */
class DishOrder extends Component {
  #rows;
  #items = new WeakMap();

  constructor(element, rows) {
    super(element);
    this.#rows = rows;
  }

  render(ids) {
    arrangeChildren(document.getElementById("dish-list"), ids.map((id) => this.#item(this.#rows.get(id))));
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
