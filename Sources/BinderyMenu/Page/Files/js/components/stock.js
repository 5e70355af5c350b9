// The status of a dish: a stepper while it is in stock, a switch for the back order while it is not.

import { control, copy, onClick } from "../dom.js";
import { Draft } from "../draft.js";

export class Stock {
  #parts = {};
  #quantity;
  #backOrder;
  #edit;
  #draft;

  /**
   * @param edit writes a value at a pointer into the dish; what goes wrong is told and thrown
   * @param act does such a write where nobody looks at what it throws
   */
  constructor(place, { edit, act }) {
    this.element = copy("stock-template");
    this.#edit = edit;
    place.replaceWith(this.element);
    for (const part of this.element.querySelectorAll("[data-case]")) this.#parts[part.dataset.case] = part;
    this.#quantity = control(this.element, "quantity");
    this.#backOrder = control(this.element, "back-order");
    this.#draft = new Draft(this.#quantity, {
      read: () => (this.#quantity.value === "" ? undefined : Number(this.#quantity.value)),
      show: (quantity) => { this.#quantity.value = quantity ?? ""; this.#drawStepper(); },
      write: (quantity) => this.#edit("/status/inStock/quantity", quantity),
    });
    onClick(control(this.element, "less"), () => this.#step(-1));
    onClick(control(this.element, "more"), () => this.#step(1));
    onClick(control(this.element, "sold-out"), () =>
      act(() => this.#edit("/status", { outOfStock: { isOnBackOrder: false } })));
    onClick(control(this.element, "back-in-stock"), () =>
      act(() => this.#edit("/status", { inStock: { quantity: 1 } })));
    this.#backOrder.addEventListener("change", async () => {
      await act(() => this.#edit("/status/outOfStock/isOnBackOrder", this.#backOrder.checked));
      this.#drawBackOrder();
    });
  }

  show(status, dishName) {
    this.status = status;
    this.element.ariaLabel = `Stock of ${dishName}`;
    this.#quantity.ariaLabel = `How many of ${dishName}`;
    for (const [name, part] of Object.entries(this.#parts)) part.hidden = !(name in status);
    if (!status.inStock && !this.#draft.isSaved) this.#draft.drop();
    this.#draft.hear(status.inStock?.quantity);
    this.#drawBackOrder();
  }

  /** Sends what is typed. */
  flush() {
    return this.#draft.flush({ again: true });
  }

  get isSaved() {
    return this.#draft.isSaved;
  }

  reset() {
    this.#draft.drop();
  }

  #step(by) {
    const quantity = Math.max(1, (Number(this.#quantity.value) || 0) + by);
    if (String(quantity) === this.#quantity.value) return;
    this.#quantity.value = quantity;
    this.#drawStepper();
    this.#draft.touch();
  }

  /** The last button is not disabled for the browser, or it would lose the focus. */
  #drawStepper() {
    control(this.element, "less").ariaDisabled = Number(this.#quantity.value) <= 1;
  }

  #drawBackOrder() {
    this.#backOrder.checked = this.status.outOfStock?.isOnBackOrder ?? false;
  }
}
