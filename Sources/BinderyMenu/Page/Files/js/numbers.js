// Integers beyond ±(2^53 − 1), which the client returns as BigInts.

/** Returns the number in a text; a BigInt if it is an integer that a number would round. */
export function exactNumber(text) {
  const number = Number(text);
  return Number.isSafeInteger(number) || !/^[+-]?\d+$/.test(text) ? number : BigInt(text);
}

/** Returns a text that is the same for equal values: their JSON, with a mark at BigInts. */
export function textOf(value) {
  return JSON.stringify(value, (_, item) => (typeof item === "bigint" ? { integer: String(item) } : item));
}
