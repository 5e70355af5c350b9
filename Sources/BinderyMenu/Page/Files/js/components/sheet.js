// The edit sheet. That it is open, for which dish and with what in it is state like all else: `editing`, a `Dish??`.

import { patch, put, Refusal, remove, transact } from "../api.js";
import { Component, tell } from "../component.js";
import { control, onClick } from "../dom.js";
import { Draft } from "../draft.js";
import { Stock } from "./stock.js";

/** What a new dish begins with, until it has a name and so can be in the state. */
const blank = { name: "", isFavorite: false, status: { inStock: { quantity: 1 } } };

export class EditSheet extends Component {
  #title;
  #name;
  #nameDraft;
  #favorite;
  #stock;
  /** The dish as it was when it was first seen here: only what differs from it is saved. */
  #base = null;
  /** Stands in for a new dish without a name. */
  #fresh = blank;
  #openedHere = false;

  constructor(element) {
    super(element);
    this.#title = element.querySelector("#sheet-title");
    this.#name = element.querySelector("#sheet-name");
    this.#favorite = element.querySelector("#sheet-favorite");
    this.#nameDraft = new Draft(this.#name, {
      read: () => this.#name.value,
      show: (name) => { this.#name.value = name ?? ""; this.#tellName(""); },
      write: (name) => this.#writeName(name),
    });
    this.#favorite.addEventListener("change", async () => {
      await this.act(() => this.#edit("/isFavorite", this.#favorite.checked));
      this.#favorite.checked = this.#shown.isFavorite;
    });
    this.#stock = new Stock(element.querySelector("#sheet-stock"), {
      edit: (pointer, value) => this.attempt(() => this.#edit(pointer, value)),
      act: (work) => this.act(work),
    });
    element.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.act(() => this.#save());
    });
    onClick(control(element, "cancel"), () => this.act(() => remove("/editing")));
    // The Escape key: the sheet closes for all when the state says so, not before.
    element.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.act(() => remove("/editing"));
    });
    // Browsers close a dialog on a second Escape whatever the page wants.
    element.addEventListener("close", () => this.#isOpen && !element.open && element.showModal());
  }

  /** Opens the sheet for a dish, or for a new one; not if it is open already. */
  async open(dish) {
    this.#openedHere = true;
    try {
      await transact("", [
        { op: "test", path: "/editing", value: null }, { op: "replace", path: "/editing", value: { some: dish } },
      ]);
    } catch (error) {
      this.#openedHere = false;
      // Another window was faster: its sheet is on its way here.
      if (error.kind !== "test-failed") throw error;
    }
  }

  /** Shows the sheet of a state. A dish that is not on the menu is a new one. */
  take(editing, dishes) {
    const id = editing?.some?.id;
    this.set({ editing, original: (id && dishes.find((dish) => dish.id === id)) ?? null });
  }

  set({ editing, original }) {
    this.original = original;
    super.set({ editing, isNew: original === null });
  }

  get #isOpen() {
    return this.value?.editing != null;
  }

  get #dish() {
    return this.value?.editing?.some ?? null;
  }

  get #shown() {
    return this.#dish ?? this.#fresh;
  }

  draw({ editing, isNew }) {
    if (editing === null) return this.#close();
    if (this.#dish && this.original && this.#base?.id !== this.original.id) this.#base = this.original;
    this.#title.textContent = isNew ? "New dish" : "Edit dish";
    if (this.element.open) this.#show();
    else this.#begin();
  }

  #show() {
    const { name, isFavorite, status } = this.#shown;
    this.#nameDraft.hear(name);
    this.#favorite.checked = isFavorite;
    this.#stock.show(status, name || "the new dish");
  }

  #begin() {
    this.#fresh = blank;
    this.tell("");
    this.#show();
    this.element.showModal();
    // Where another window opened the sheet, keys on their way to something else must not land in the name.
    if (this.#openedHere) this.#name.select();
    else this.#title.focus();
  }

  #close() {
    this.#nameDraft.drop();
    this.#stock.reset();
    this.#base = null;
    this.#openedHere = false;
    this.element.close();
  }

  async #writeName(name) {
    try {
      if (name.trim() === "") throw new Refusal(422, { title: "A dish needs a name" });
      await this.#edit("/name", name);
      this.#tellName("");
    } catch (error) {
      this.#tellName(error.message);
      throw error;
    }
  }

  #tellName(message) {
    tell(this.element.querySelector("#sheet-name-error"), message);
    this.#name.ariaInvalid = message !== "";
  }

  /** Writes into the sheet, if it is still this dish's. */
  async #edit(pointer, value) {
    const dish = this.#dish;
    if (dish) {
      return transact("/editing/some", [
        { op: "test", path: "/id", value: dish.id }, { op: "replace", path: pointer, value },
      ]);
    }
    this.#fresh = assigned(this.#fresh, pointer.split("/").slice(1), value);
    // Without a name it is no dish; that is told when it is missed, at the name or on saving.
    if (pointer !== "/name" && this.#fresh.name === "") return this.#show();
    return patch("/editing/some", this.#fresh);
  }

  /** One patch over the dishes and the sheet: all of it or nothing. What others changed meanwhile is kept. */
  async #save() {
    await Promise.all([this.#nameDraft.flush({ again: true }), this.#stock.flush()]);
    if (!this.#nameDraft.isSaved || !this.#stock.isSaved) return;
    const dish = this.#dish;
    if (!dish) {
      this.#name.focus();
      return this.#writeName("").catch(() => {});
    }
    const operations = [{ op: "test", path: "/editing/some", value: dish }, ...this.#changes(dish)];
    operations.push({ op: "replace", path: "/editing", value: null });
    try {
      await transact("", operations);
    } catch (error) {
      throw this.#explained(error, operations);
    }
  }

  #changes(dish) {
    if (!this.original) return [{ op: "add", path: "/dishes/-", value: dish }];
    const place = `/dishes/${dish.id}`;
    return ["name", "isFavorite", "status"]
      .filter((member) => !isEqual(dish[member], this.#base[member]))
      .flatMap((member) => [
        { op: "test", path: `${place}/${member}`, value: this.#base[member] },
        { op: "replace", path: `${place}/${member}`, value: dish[member] },
      ]);
  }

  /** A failed test is another person's change: it is told, and saving once more replaces it. */
  #explained(error, operations) {
    if (error.kind !== "test-failed") return error;
    const { operation, current } = error.problem;
    if (operation === 0) {
      error.message = "The sheet has changed in another window. Look at it, then save again.";
    } else if (current !== undefined) {
      const member = operations[operation].path.split("/").at(-1);
      this.#base = { ...this.#base, [member]: current };
      error.message = `Meanwhile the dish has changed: ${inWords(member, current)}. Save again to replace that.`;
    }
    return error;
  }
}

function inWords(member, value) {
  if (member === "name") return `it is called “${value}”`;
  if (member === "isFavorite") return value ? "it is a favorite" : "it is no favorite";
  return value.inStock ? `${value.inStock.quantity} are in stock` : "it is sold out";
}

const isEqual = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** A copy of an object with another value at a path. */
function assigned(object, [key, ...rest], value) {
  if (key === undefined) return value;
  return { ...object, [key]: assigned(object[key], rest, value) };
}
