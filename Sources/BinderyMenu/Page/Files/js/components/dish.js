import { Component } from "../component.js";
import { cloneTemplate, control, onClick } from "../dom.js";
import { commit, currentValue, set } from "../state.js";
import { Stock } from "./stock.js";
import { offerUndo } from "./undo.js";

/** A dish. Its value is `{dish, isPinned}`. */
export class DishRow extends Component {
  #stock;
  #id;

  constructor({ dish, isPinned }, sheet) {
    super(cloneTemplate("dish-template"), isPinned ? "/pinnedDish" : `/dishes/${dish.id}`);
    this.#id = dish.id;
    this.element.dataset.id = dish.id;
    const onPress = (name, operation) => onClick(control(this.element, name), () => this.perform(operation));
    onPress("favorite", () => this.#edit("/isFavorite", !this.value.dish.isFavorite));
    onPress("pin", () => this.#pin(isPinned ? null : this.#id));
    onPress("edit", () => sheet.open(this.value.dish));
    onPress("delete", () => this.#delete());
    this.#stock = new Stock(this.element.querySelector('[data-part="stock"]'), {
      edit: (pointer, value) => this.performOrThrow(() => this.#edit(pointer, value)),
      perform: (operation) => this.perform(operation),
    });
  }

  render({ dish, isPinned }) {
    this.element.querySelector("h3").textContent = dish.name;
    this.#setLabel("favorite", `Favorite: ${dish.name}`, dish.isFavorite);
    this.#setLabel("pin", `Pin: ${dish.name}`, isPinned);
    this.#setLabel("edit", `Edit ${dish.name}`);
    this.#setLabel("delete", `Delete ${dish.name}`);
    this.#stock.show(dish.status, dish.name);
  }

  #setLabel(name, label, isPressed) {
    const button = control(this.element, name);
    button.title = button.ariaLabel = label;
    if (isPressed !== undefined) button.ariaPressed = isPressed;
  }

  /** Writes a member. */
  #edit(pointer, value) {
    return set(`/dishes/${this.#id}${pointer}`, value);
  }

  /** Pins a dish. The id and the dish that follows from it change in the same event. */
  #pin(id) {
    return commit([{ op: "replace", path: "/pinnedID", value: id }], "/pinnedID", (pinned) => pinned === id);
  }

  /** Deletes the dish, but only if it is still equal to the one that this window shows. */
  async #delete() {
    const { dish, isPinned } = this.value;
    const hadFocus = this.element.contains(document.activeElement);
    const index = currentValue("/dishes").findIndex((other) => other.id === this.#id);
    const path = `/dishes/${this.#id}`;
    await commit([{ op: "test", path, value: dish }, { op: "remove", path }],
      "/dishes", (dishes) => dishes.every((other) => other.id !== this.#id));
    offerUndo(dish, index, isPinned, hadFocus ? document.activeElement : null);
  }
}
