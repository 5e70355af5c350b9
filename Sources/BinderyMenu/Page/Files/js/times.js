// Date formatting in the browser's time zone. The service uses RFC 3339 in UTC.

const formatter = new Intl.DateTimeFormat(undefined, {
  weekday: "long", year: "numeric", month: "long", day: "numeric", hour: "numeric", minute: "2-digit",
  timeZoneName: "short",
});

/** The name of the browser's time zone, such as `Europe/Rome`. */
export const zone = formatter.resolvedOptions().timeZone;

/** Returns the value of a datetime-local field for a date: `2026-11-21T19:00`. */
export function fieldText(timestamp) {
  const date = new Date(timestamp);
  const pad = (number) => String(number).padStart(2, "0");
  const year = String(date.getFullYear()).padStart(4, "0");
  return `${year}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** Returns the RFC 3339 timestamp for the value of a datetime-local field. */
export function timestamp(fieldText) {
  return new Date(fieldText).toISOString();
}

/** Returns a date as localized text. */
export function localizedText(timestamp) {
  return formatter.format(new Date(timestamp));
}
