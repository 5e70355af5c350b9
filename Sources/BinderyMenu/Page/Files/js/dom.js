// Small words for the document.

/** A new copy of what a template holds. */
export function copy(id) {
  return document.getElementById(id).content.firstElementChild.cloneNode(true);
}

/** The control of that name. */
export function control(parent, name) {
  return parent.querySelector(`[data-control="${name}"]`);
}

export function onClick(button, work) {
  button.addEventListener("click", work);
}

/** Makes `children` the children of an element, and moves only what is not in its place. */
export function arrange(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) {
    if (!wanted.has(child)) child.remove();
  }
  let place = parent.firstElementChild;
  for (const child of children) {
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
}

/**
 * The components of a list by their key: those that stay are kept, with their focus and what is typed in them.
 *
 * @returns the components in the order of the items
 */
export function keyed(components, items, key, make) {
  const keys = new Set(items.map(key));
  for (const old of components.keys()) {
    if (!keys.has(old)) components.delete(old);
  }
  return items.map((item) => {
    const name = key(item);
    if (!components.has(name)) components.set(name, make(item));
    const component = components.get(name);
    component.set(item);
    return component;
  });
}
