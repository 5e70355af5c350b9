// The availability of a dish: a stepper for the quantity in stock, or a switch for the back order if it is sold out.

import { cloneTemplate, control, onClick } from "../dom.js";
import { Draft } from "../draft.js";
import { exactNumber } from "../numbers.js";

export class Stock {
  #parts = {};
  #quantity;
  #backOrder;
  #edit;
  #draft;

  /**
   * @param edit writes a value at a JSON Pointer of the dish; shows and throws errors
   * @param perform runs a write and shows its error, without throwing
   */
  constructor(placeholder, { edit, perform }) {
    this.element = cloneTemplate("stock-template");
    this.#edit = edit;
    placeholder.replaceWith(this.element);
    for (const part of this.element.querySelectorAll("[data-case]")) this.#parts[part.dataset.case] = part;
    this.#quantity = control(this.element, "quantity");
    this.#backOrder = control(this.element, "back-order");
    this.#draft = new Draft(this.#quantity, {
      read: () => (this.#quantity.value === "" ? undefined : exactNumber(this.#quantity.value)),
      show: (quantity) => { this.#quantity.value = quantity ?? ""; this.#renderStepper(); },
      write: (quantity) => this.#edit("/status/inStock/quantity", quantity),
    });
    onClick(control(this.element, "less"), () => this.#step(-1));
    onClick(control(this.element, "more"), () => this.#step(1));
    onClick(control(this.element, "sold-out"), () =>
      perform(() => this.#edit("/status", { outOfStock: { isOnBackOrder: false } })));
    onClick(control(this.element, "back-in-stock"), () =>
      perform(() => this.#edit("/status", { inStock: { quantity: 1 } })));
    this.#backOrder.addEventListener("change", async () => {
      await perform(() => this.#edit("/status/outOfStock/isOnBackOrder", this.#backOrder.checked));
      this.#renderBackOrder();
    });
  }

  show(status, dishName) {
    this.status = status;
    this.element.ariaLabel = `Stock of ${dishName}`;
    const labels = {
      quantity: `Quantity of ${dishName}`,
      less: `Decrease the quantity of ${dishName}`,
      more: `Increase the quantity of ${dishName}`,
      "sold-out": `Mark sold out: ${dishName}`,
      "back-order": `Back order of ${dishName}`,
      "back-in-stock": `Put back in stock: ${dishName}`,
    };
    for (const [name, label] of Object.entries(labels)) control(this.element, name).ariaLabel = label;
    for (const [name, part] of Object.entries(this.#parts)) part.hidden = !(name in status);
    if (!status.inStock && !this.#draft.isSaved) this.#draft.discard();
    this.#draft.receive(status.inStock?.quantity);
    this.#renderBackOrder();
  }

  /** Sends unsaved input. */
  flush() {
    return this.#draft.flush({ retry: true });
  }

  get isSaved() {
    return this.#draft.isSaved;
  }

  reset() {
    this.#draft.discard();
  }

  #step(by) {
    const before = exactNumber(this.#quantity.value) || 0;
    const after = before + (typeof before === "bigint" ? BigInt(by) : by);
    const quantity = after < 1 ? 1 : after;
    if (String(quantity) === this.#quantity.value) return;
    this.#quantity.value = quantity;
    this.#renderStepper();
    this.#draft.markEdited();
  }

  /** Uses `aria-disabled`, because a button with `disabled` would lose the focus. */
  #renderStepper() {
    control(this.element, "less").ariaDisabled = Number(this.#quantity.value) <= 1;
  }

  #renderBackOrder() {
    this.#backOrder.checked = this.status.outOfStock?.isOnBackOrder ?? false;
  }
}
