// The colors of components. A new color differs from the previous one and from those of the neighbours.

/** The hues in degrees. */
const hues = Array.from({ length: 12 }, (_, index) => index * 30);

/** The difference of two hues that are easy to distinguish, in degrees. Half of it is enough for farther neighbours. */
const clearDifference = 60;

/** The number of columns of the day cards. The cards above and below are neighbours, too. */
const columns = 6;

const hueOf = new WeakMap();
const pending = new Set();

/** Gives a component another color, once it is in its place. */
export function setTint(element) {
  if (pending.size === 0) queueMicrotask(applyTints);
  pending.add(element);
}

function applyTints() {
  // Containers are paler than their content, so their colors never collide with it.
  const all = [...document.querySelectorAll(".component:not(.container)")];
  const indices = new Map(all.map((element, index) => [element, index]));
  for (const element of pending) {
    const index = indices.get(element);
    const beside = element.matches(".day") ? [-columns, -1, 1, columns] : [-1, 1];
    const at = (offsets) => offsets.map((offset) => all[index + offset]);
    const hue = choose([element, ...at(beside)], at([-3, -2, 2, 3]));
    hueOf.set(element, hue);
    element.style.setProperty("--hue", hue);
  }
  pending.clear();
}

/** Returns a random one of the hues that differ most from those of other elements. */
function choose(near, far) {
  const nearHues = near.map((element) => hueOf.get(element)).filter((hue) => hue !== undefined);
  const farHues = far.map((element) => hueOf.get(element)).filter((hue) => hue !== undefined);
  const scores = hues.map((hue) => Math.min(
    clearDifference, ...nearHues.map((other) => difference(hue, other)),
    ...farHues.map((other) => 2 * difference(hue, other)),
  ));
  const best = hues.filter((_, index) => scores[index] === Math.max(...scores));
  return best[Math.floor(Math.random() * best.length)];
}

function difference(a, b) {
  const angle = Math.abs(a - b);
  return Math.min(angle, 360 - angle);
}
