// Undo for deleted dishes.

import { jsonPatch } from "../api.js";
import { Component } from "../component.js";
import { currentValue } from "../state.js";

/** Offers to restore a deleted dish at its old position, until another dish is deleted. */
export function offerUndo(dish, index, wasPinned) {
  const container = document.getElementById("undo");
  const text = document.createElement("span");
  text.textContent = `${dish.name} was deleted.`;
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.control = "undo";
  button.textContent = "Undo";
  const error = document.createElement("p");
  error.className = "error";
  error.hidden = true;
  container.replaceChildren(text, button, error);
  const notice = new Component(container);
  button.addEventListener("click", async () => {
    const succeeded = await notice.perform(() => restore(dish, index, wasPinned));
    if (!succeeded) return;
    container.replaceChildren();
    document.querySelector(`[data-id="${dish.id}"] button`)?.focus();
  });
}

function restore(dish, index, wasPinned) {
  const position = Math.min(index, currentValue("/dishes").length);
  const operations = [{ op: "add", path: `/dishes/${position}`, value: dish }];
  // Do not unpin a dish that was pinned in the meantime.
  if (wasPinned && currentValue("/pinnedID") === null) {
    operations.push({ op: "test", path: "/pinnedID", value: null });
    operations.push({ op: "replace", path: "/pinnedID", value: dish.id });
  }
  return jsonPatch("", operations);
}
