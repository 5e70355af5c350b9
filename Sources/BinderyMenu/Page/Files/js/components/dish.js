import { patch, put, remove, Refusal, transact } from "../api.js";
import { Component } from "../component.js";
import { control, copy, onClick } from "../dom.js";
import { heard } from "../state.js";
import { Stock } from "./stock.js";
import { offerUndo } from "./undo.js";

/** One dish: `{dish, isPinned}`. */
export class DishRow extends Component {
  #stock;
  #id;

  constructor({ dish, isPinned }, sheet) {
    super(copy("dish-template"));
    this.#id = dish.id;
    this.element.dataset.id = dish.id;
    const press = (name, work) => onClick(control(this.element, name), () => this.act(work));
    press("favorite", () => this.#edit("/isFavorite", !this.value.dish.isFavorite));
    press("pin", () => (isPinned ? remove("/pinnedID") : put("/pinnedID", this.#id)));
    press("edit", () => sheet.open(this.value.dish));
    press("delete", () => this.#delete());
    this.#stock = new Stock(this.element.querySelector('[data-part="stock"]'), {
      edit: (pointer, value) => this.attempt(() => this.#edit(pointer, value)),
      act: (work) => this.act(work),
    });
  }

  draw({ dish, isPinned }) {
    this.element.querySelector("h3").textContent = dish.name;
    this.#name("favorite", `Favorite: ${dish.name}`, dish.isFavorite);
    this.#name("pin", `Pin: ${dish.name}`, isPinned);
    this.#name("edit", `Edit ${dish.name}`);
    this.#name("delete", `Delete ${dish.name}`);
    this.#stock.show(dish.status, dish.name);
  }

  #name(name, label, isPressed) {
    const button = control(this.element, name);
    button.title = button.ariaLabel = label;
    if (isPressed !== undefined) button.ariaPressed = isPressed;
  }

  /** The pinned dish is edited through its own binding, as long as that still means this dish. */
  async #edit(pointer, value) {
    if (this.value.isPinned) {
      try {
        return await transact("/pinnedDish", [
          { op: "test", path: "/id", value: this.#id }, { op: "replace", path: pointer, value },
        ]);
      } catch (error) {
        if (!(error instanceof Refusal) || !["nil-optional", "test-failed"].includes(error.kind)) throw error;
      }
    }
    return patch(`/dishes/${this.#id}${pointer}`, value);
  }

  /** Only what this window shows is deleted: another dish by now is refused. */
  async #delete() {
    const { dish, isPinned } = this.value;
    const index = heard("/dishes").findIndex((other) => other.id === this.#id);
    await transact("/dishes", [
      { op: "test", path: `/${this.#id}`, value: dish }, { op: "remove", path: `/${this.#id}` },
    ]);
    offerUndo(dish, index, isPinned);
  }
}
