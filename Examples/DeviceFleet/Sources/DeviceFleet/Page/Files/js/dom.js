// Helpers for the elements of the page.

export const byID = (id) => document.getElementById(id);

/** Returns a copy of the element in a template. */
export const copyOf = (template) => byID(template).content.firstElementChild.cloneNode(true);

/** Returns the part of an element, marked by `data-part`. */
export const part = (element, name) => element.querySelector(`[data-part="${name}"]`);

/** Returns the control of an element, marked by `data-control`. */
export const control = (element, name) => element.querySelector(`[data-control="${name}"]`);

/** Creates an element with a text. */
export function create(tag, text = "", properties = {}) {
  return Object.assign(document.createElement(tag), { textContent: text, ...properties });
}

/**
 * Shows one element per item in a list. An element is updated only if its item is another object than before, and keeps
 * its focus.
 */
export function showList(list, items, make, update) {
  const known = list.elementsByID ??= new Map();
  const gone = new Set(known.keys());
  items.forEach((item, index) => {
    gone.delete(item.id);
    const element = known.get(item.id) ?? make(item);
    known.set(item.id, element);
    if (list.children[index] !== element) list.insertBefore(element, list.children[index] ?? null);
    if (element.item === item) return;
    update(element, item, element.item);
    element.item = item;
  });
  for (const id of gone) {
    known.get(id).remove();
    known.delete(id);
  }
}

/** Fills a menu with options, and keeps it as it is while the options are the same. */
export function setOptions(select, options, value) {
  const key = JSON.stringify(options);
  if (select.dataset.options !== key) {
    select.replaceChildren(...options.map(([value, text]) => create("option", text, { value })));
    select.dataset.options = key;
  }
  if (select !== document.activeElement) select.value = value;
}

/** Lets an element flash, because its content has changed. */
export function flash(element) {
  element.animate({ backgroundColor: ["color-mix(in srgb, var(--accent) 22%, var(--card))", "var(--card)"] }, 900);
}
