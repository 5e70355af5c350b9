// What was deleted can be put back.

import { transact } from "../api.js";
import { Component } from "../component.js";
import { heard } from "../state.js";

/** Offers to put a dish back where it was, until the next one is deleted. */
export function offerUndo(dish, index, wasPinned) {
  const place = document.getElementById("undo");
  const text = document.createElement("span");
  text.textContent = `${dish.name} is off the menu.`;
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.control = "undo";
  button.textContent = "Put it back";
  const error = document.createElement("p");
  error.className = "error";
  error.hidden = true;
  place.replaceChildren(text, button, error);
  const notice = new Component(place);
  button.addEventListener("click", async () => {
    const done = await notice.act(() => putBack(dish, index, wasPinned));
    if (!done) return;
    place.replaceChildren();
    document.querySelector(`[data-id="${dish.id}"] button`)?.focus();
  });
}

function putBack(dish, index, wasPinned) {
  const place = Math.min(index, heard("/dishes").length);
  const operations = [{ op: "add", path: `/dishes/${place}`, value: dish }];
  // Unless another one was pinned meanwhile.
  if (wasPinned && heard("/pinnedID") === null) {
    operations.push({ op: "test", path: "/pinnedID", value: null });
    operations.push({ op: "replace", path: "/pinnedID", value: dish.id });
  }
  return transact("", operations);
}
