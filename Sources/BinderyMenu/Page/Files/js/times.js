// Dates as people type and read them, in this browser's time zone; the service speaks RFC 3339 in UTC.

const words = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" });

/** A moment as a field of the type datetime-local has it: `2026-11-21T19:00`. */
export function fieldText(moment) {
  const date = new Date(moment);
  const two = (number) => String(number).padStart(2, "0");
  const year = String(date.getFullYear()).padStart(4, "0");
  return `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The moment that such a field means. */
export function moment(fieldText) {
  return new Date(fieldText).toISOString();
}

/** A moment in words. */
export function wordsFor(moment) {
  return words.format(new Date(moment));
}
