// Undo for deleted dishes.

import { showNotice } from "../notice.js";
import { commit, currentValue } from "../state.js";

/**
 * Offers to restore a deleted dish at its old position, until another message is shown.
 *
 * @param returnFocus the element that gets the focus if the offer is dismissed; with one, the offer gets the focus
 */
export function offerUndo(dish, index, wasPinned, returnFocus) {
  showNotice(`“${dish.name}” was deleted.`, {
    label: "Undo",
    returnFocus,
    async act() {
      await restore(dish, index, wasPinned);
      document.querySelector(`[data-id="${dish.id}"] button`)?.focus();
    },
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
  return commit(operations, "/dishes", (dishes) => dishes.some((other) => other.id === dish.id));
}
