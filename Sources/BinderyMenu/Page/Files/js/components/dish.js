import { jsonPatch, patch, ProblemError, put, remove } from "../api.js";
import { Component } from "../component.js";
import { cloneTemplate, control, onClick } from "../dom.js";
import { currentValue } from "../state.js";
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
    onPress("pin", () => (isPinned ? remove("/pinnedID") : put("/pinnedID", this.#id)));
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

  /** Writes a member. The pinned dish is edited at `/pinnedDish`, as long as that is still this dish. */
  async #edit(pointer, value) {
    if (this.value.isPinned) {
      try {
        return await jsonPatch("/pinnedDish", [
          { op: "test", path: "/id", value: this.#id }, { op: "replace", path: pointer, value },
        ]);
      } catch (error) {
        if (!(error instanceof ProblemError) || !["nil-optional", "test-failed"].includes(error.kind)) throw error;
      }
    }
    return patch(`/dishes/${this.#id}${pointer}`, value);
  }

  /** Deletes the dish, but only if it is still equal to the one that this window shows. */
  async #delete() {
    const { dish, isPinned } = this.value;
    const hadFocus = this.element.contains(document.activeElement);
    const index = currentValue("/dishes").findIndex((other) => other.id === this.#id);
    await jsonPatch("/dishes", [
      { op: "test", path: `/${this.#id}`, value: dish }, { op: "remove", path: `/${this.#id}` },
    ]);
    offerUndo(dish, index, isPinned, hadFocus ? document.activeElement : null);
  }
}
