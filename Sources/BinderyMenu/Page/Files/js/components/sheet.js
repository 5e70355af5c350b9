// The edit sheet. It is part of the shared state: `editing` is a `Dish??` that contains the draft, or null if the sheet
// is closed.

import { mayWrite } from "../access.js";
import { Component, showMessage } from "../component.js";
import { control, onClick } from "../dom.js";
import { Draft } from "../draft.js";
import { showNotice } from "../notice.js";
import { textOf } from "../numbers.js";
import { client, commit, currentValue, perform, ProblemError, set } from "../state.js";
import { Stock } from "./stock.js";

/** The initial new dish. It is local to this window until it has a name, because the state requires one. */
const blank = { name: "", isFavorite: false, status: { inStock: { quantity: 1 } } };

/** The members of a dish that the sheet edits. */
const members = ["name", "isFavorite", "status"];

export class EditSheet extends Component {
  #title;
  #name;
  #nameDraft;
  #favorite;
  #stock;
  /** The dish when this window opened the sheet. Only members that differ from it are saved. */
  #base = null;
  /** The draft that was shown last. */
  #lastDish = null;
  /** The new dish as long as it has no name. */
  #unnamedDish = blank;
  #openedHere = false;
  /** Whether this window has changed the draft. */
  #editedHere = false;
  /** Whether this window closes the sheet, by saving or canceling. */
  #closedHere = false;
  /** Whether the user was warned that closing the sheet discards the changes of another window. */
  #wasWarned = false;

  constructor(element) {
    super(element);
    this.#title = element.querySelector("#sheet-title");
    this.#name = element.querySelector("#sheet-name");
    this.#favorite = element.querySelector("#sheet-favorite");
    this.#nameDraft = new Draft(this.#name, {
      read: () => this.#name.value,
      show: (name) => { this.#name.value = name ?? ""; this.#showNameError(""); },
      write: (name) => this.#writeName(name),
    });
    this.#favorite.addEventListener("change", async () => {
      await this.perform(() => this.#edit("/isFavorite", this.#favorite.checked));
      this.#favorite.checked = this.#shown.isFavorite;
    });
    this.#stock = new Stock(element.querySelector("#sheet-stock"), {
      edit: (pointer, value) => this.performOrThrow(() => this.#edit(pointer, value)),
      perform: (operation) => this.perform(operation),
    });
    element.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.perform(() => this.#save());
    });
    this.#name.addEventListener("input", () => { this.#editedHere = true; });
    onClick(control(element, "cancel"), () => this.#cancel());
    // Escape closes the sheet in the shared state. The dialog closes when the state changes.
    element.addEventListener("cancel", (event) => {
      event.preventDefault();
      this.#cancel();
    });
    // Browsers close a dialog on a second Escape even if `cancel` was prevented.
    element.addEventListener("close", () => this.#isOpen && !element.open && element.showModal());
  }

  /** Opens the sheet for a dish, or for a new dish if it is null. Does nothing if the sheet is already open. */
  async open(dish) {
    this.#openedHere = true;
    try {
      await commit([
        { op: "test", path: "/editing", value: null }, { op: "replace", path: "/editing", value: { some: dish } },
      ], "/editing", (editing) => editing !== null);
    } catch (error) {
      this.#openedHere = false;
      // Another window has opened the sheet first. An event with its state will follow.
      if (error.kind !== "test-failed") throw error;
    }
  }

  /** Shows the sheet of the state. A dish that is not on the menu is new. */
  update(editing, dishes) {
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
    return this.#dish ?? this.#unnamedDish;
  }

  render({ editing, isNew }) {
    // A modal sheet would lock a window that can neither save nor close it.
    if (!mayWrite()) return;
    if (editing === null) return this.#close();
    if (this.#dish && this.original && this.#base?.id !== this.original.id) this.#base = this.original;
    this.#title.textContent = isNew ? "New dish" : "Edit dish";
    if (this.element.open) this.#show();
    else this.#present();
  }

  #show() {
    this.#lastDish = this.#dish;
    const { name, isFavorite, status } = this.#shown;
    this.#nameDraft.receive(name);
    this.#favorite.checked = isFavorite;
    this.#stock.show(status, name || "the new dish");
  }

  #present() {
    this.#unnamedDish = blank;
    this.#editedHere = this.#closedHere = this.#wasWarned = false;
    this.showError("");
    this.#show();
    this.element.showModal();
    // If another window opened the sheet, keys typed for another control must not change the name.
    if (this.#openedHere) this.#name.select();
    else this.#title.focus();
  }

  #close() {
    if (this.element.open && this.#editedHere && !this.#closedHere) this.#offerChanges();
    this.#nameDraft.discard();
    this.#stock.reset();
    this.#base = this.#lastDish = null;
    this.#openedHere = false;
    this.element.close();
  }

  /** Closes the sheet in all windows. If only another window has changed the draft, the user has to repeat this. */
  #cancel() {
    if (!this.#editedHere && !this.#wasWarned && this.#changedMembers(this.#dish).length > 0) {
      this.#wasWarned = true;
      return this.showError("Another window has changed this dish. Cancel again to discard its changes.");
    }
    return this.perform(() => this.#closeHere(() => set("/editing", null)));
  }

  /** Performs a write that closes the sheet. */
  async #closeHere(write) {
    this.#closedHere = true;
    try {
      await write();
    } catch (error) {
      this.#closedHere = false;
      throw error;
    }
  }

  /** Offers to open the sheet again if another window has closed it without saving the changes of this window. */
  #offerChanges() {
    const draft = this.#lastDish ? { ...this.#lastDish } : this.#unnamedDish;
    if (this.#name.value.trim() !== "") draft.name = this.#name.value;
    const saved = currentValue("/dishes").find((dish) => dish.id === draft.id);
    const changes = this.#changedMembers(draft).filter((member) => !saved || !isEqual(saved[member], draft[member]));
    if (draft.name === "" || changes.length === 0) return;
    const restored = { ...(saved ?? draft), ...Object.fromEntries(changes.map((member) => [member, draft[member]])) };
    showNotice(`Another window closed the sheet. Your changes to “${draft.name}” were not saved.`, {
      label: "Open again",
      act: () => this.open(restored),
    });
  }

  /** Returns the members of a dish that differ from the one in the menu, or all of a new dish. */
  #changedMembers(dish) {
    if (!dish) return [];
    return members.filter((member) => !this.#base || !isEqual(dish[member], this.#base[member]));
  }

  async #writeName(name) {
    try {
      if (name.trim() === "") throw new ProblemError({ title: "A dish needs a name" });
      await this.#edit("/name", name);
      this.#showNameError("");
    } catch (error) {
      this.#showNameError(error.message);
      throw error;
    }
  }

  #showNameError(message) {
    showMessage(this.element.querySelector("#sheet-name-error"), message);
    this.#name.ariaInvalid = message !== "";
  }

  /** Writes a member of the draft, but only if the sheet still shows the same dish. */
  #edit(pointer, value) {
    this.#editedHere = true;
    const keys = pointer.split("/").slice(1);
    const id = this.#dish?.id;
    if (id) {
      return perform(client.at("/editing/some").update((dish) =>
        dish?.id === id ? withValue(dish, keys, value) : undefined));
    }
    this.#unnamedDish = withValue(this.#unnamedDish, keys, value);
    // The state accepts no dish without a name. The error is shown when the name is left empty, or on saving.
    if (pointer !== "/name" && this.#unnamedDish.name === "") return this.#show();
    // The server gives the dish its id.
    return commit([{ op: "replace", path: "/editing/some", value: this.#unnamedDish }],
      "/editing", (editing) => editing?.some?.id !== undefined);
  }

  /** Saves the changed members and closes the sheet in one atomic patch. It preserves other members of the dish. */
  async #save() {
    await Promise.all([this.#nameDraft.flush({ retry: true }), this.#stock.flush()]);
    if (!this.#nameDraft.isSaved || !this.#stock.isSaved) return;
    const dish = this.#dish;
    if (!dish) {
      this.#name.focus();
      return this.#writeName("").catch(() => {});
    }
    const operations = [{ op: "test", path: "/editing/some", value: dish }, ...this.#changes(dish)];
    operations.push({ op: "replace", path: "/editing", value: null });
    try {
      await this.#closeHere(() => commit(operations, "/editing", (editing) => editing === null));
    } catch (error) {
      throw this.#explain(error, operations);
    }
  }

  #changes(dish) {
    if (!this.original) return [{ op: "add", path: "/dishes/-", value: dish }];
    const path = `/dishes/${dish.id}`;
    return this.#changedMembers(dish).flatMap((member) => [
      { op: "test", path: `${path}/${member}`, value: this.#base[member] },
      { op: "replace", path: `${path}/${member}`, value: dish[member] },
    ]);
  }

  /** Replaces the message of a failed test, which means a concurrent change. Saving again overwrites that change. */
  #explain(error, operations) {
    if (error.kind !== "test-failed") return error;
    const { operation, current } = error.problem;
    if (operation === 0) {
      error.message = "The sheet was changed in another window. Check it, then save again.";
    } else if (current !== undefined) {
      const member = operations[operation].path.split("/").at(-1);
      this.#base = { ...this.#base, [member]: current };
      error.message = `The dish has changed: ${describe(member, current)}. Save again to overwrite that.`;
    }
    return error;
  }
}

function describe(member, value) {
  if (member === "name") return `its name is now “${value}”`;
  if (member === "isFavorite") return value ? "it is now a favorite" : "it is no longer a favorite";
  return value.inStock ? `${value.inStock.quantity} are now in stock` : "it is now sold out";
}

const isEqual = (a, b) => textOf(a) === textOf(b);

/** Returns a copy of an object with another value at a path. */
function withValue(object, [key, ...rest], value) {
  if (key === undefined) return value;
  return { ...object, [key]: withValue(object[key], rest, value) };
}
