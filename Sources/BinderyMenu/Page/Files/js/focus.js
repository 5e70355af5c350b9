// The keyboard's place in the page outlives what is drawn again: a control that went away hands its focus on.

/** What takes the place of a control that is hidden when its dish is sold out, or back. */
const partners = { "sold-out": "back-in-stock", "back-in-stock": "sold-out" };
partners.quantity = partners.less = partners.more = "back-in-stock";
partners["back-order"] = "sold-out";

const isThere = (element) => element?.isConnected && element.checkVisibility();

/** Runs `change`, and sees to it that the focus is still somewhere sensible after it. */
export function keepingFocus(change) {
  const before = document.activeElement;
  const dish = before?.closest("[data-id]");
  const row = dish?.closest("li");
  const neighbours = [row?.nextElementSibling, row?.previousElementSibling];
  change();
  if (!dish || (isThere(before) && document.activeElement === before)) return;
  if (isThere(before)) return before.focus({ preventScroll: true });
  const name = before.dataset.control;
  const again = [...document.querySelectorAll("[data-id]")].filter((other) => other.dataset.id === dish.dataset.id);
  const places = [
    ...again.flatMap((other) => [find(other, name), find(other, partners[name])]),
    ...neighbours.map((other) => other && find(other, name)),
    document.getElementById("add"),
  ];
  places.find(isThere)?.focus({ preventScroll: true });
}

function find(parent, name) {
  return parent.querySelector(`[data-control="${name}"]`);
}
