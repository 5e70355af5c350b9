// Helpers for the DOM.

/** Returns a copy of the content of a template. */
export function cloneTemplate(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true);
}

/** Returns the control with a name. */
export function control(parent, name) {
  return parent.querySelector(`[data-control="${name}"]`);
}

export function onClick(button, handler) {
  button.addEventListener("click", handler);
}

/** Replaces the children of an element, moving only those that are not in their place. */
export function arrangeChildren(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) {
    if (!wanted.has(child)) child.remove();
  }
  let next = parent.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
}

/**
 * Updates the components of a list by key. Existing components are reused, so that they keep focus and typed text.
 *
 * @param components a map from key to component, which is updated
 * @param items the new items
 * @param key returns the key of an item
 * @param make creates the component of a new item
 * @returns the components in the order of the items
 */
export function reconcile(components, items, key, make) {
  const keys = new Set(items.map(key));
  for (const existing of components.keys()) {
    if (!keys.has(existing)) components.delete(existing);
  }
  return items.map((item) => {
    const name = key(item);
    if (!components.has(name)) components.set(name, make(item));
    const component = components.get(name);
    component.set(item);
    return component;
  });
}
