// Preserves the keyboard focus when components are rendered: if the focused control disappears, a related control gets
// the focus.

/** The controls that replace another control when a dish is sold out or back in stock. */
const replacements = { "sold-out": "back-in-stock", "back-in-stock": "sold-out" };
replacements.quantity = replacements.less = replacements.more = "back-in-stock";
replacements["back-order"] = "sold-out";

const isVisible = (element) => element?.isConnected && element.checkVisibility();

/** Runs `change` and restores the focus afterwards. */
export function preservingFocus(change) {
  const before = document.activeElement;
  const dish = before?.closest("[data-id]");
  const row = dish?.closest("li");
  const neighbours = [row?.nextElementSibling, row?.previousElementSibling];
  change();
  if (!dish || (isVisible(before) && document.activeElement === before)) return;
  if (isVisible(before)) return before.focus({ preventScroll: true });
  const name = before.dataset.control;
  const sameDish = [...document.querySelectorAll("[data-id]")].filter((other) => other.dataset.id === dish.dataset.id);
  const candidates = [
    ...sameDish.flatMap((other) => [find(other, name), find(other, replacements[name])]),
    // Not another button of this kind if it deletes: pressing a key again would delete a second dish.
    ...neighbours.map((other) => other && find(other, name === "delete" ? "edit" : name)),
    document.getElementById("add"),
  ];
  candidates.find(isVisible)?.focus({ preventScroll: true });
}

function find(parent, name) {
  return parent.querySelector(`[data-control="${name}"]`);
}
