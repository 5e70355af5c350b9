// The selected place as text for other programs. No text contains a token.

import { needsToken, read } from "./api.js";
import { segments, step, toJSON, unwrapped, urlOf } from "./schema.js";

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Returns the ways in which a place can be copied, by name.
 *
 * @param model the type of the root
 */
export function copyTexts(path, model) {
  const url = new URL(urlOf(path), document.baseURI).href;
  const token = needsToken() ? ` -H "Authorization: Bearer $TOKEN"` : "";
  const value = () => read(path).then((result) => toJSON(result.value), () => "null");
  return {
    "path": () => path || "/",
    "link": () => new URL(`#${encodeURI(path)}`, location.href).href,
    "JSON": value,
    "curl": () => `curl${token} ${quoted(url)}`,
    "curl (write)": async () =>
      `curl${token} -X PATCH ${quoted(url)} -H 'Content-Type: application/json' -d ${quoted(await value())}`,
    "curl (watch)": () => `curl -N${token} -H 'Accept: text/event-stream' ${quoted(url)}`,
    "fetch": () => `const response = await fetch(${JSON.stringify(url)});\nconst value = await response.json();`,
    "Swift": () => `store.values(at: ${swiftPlace(path, model)})`,
  };
}

/** Returns a place as the library writes it, such as `Menu.places.dishes[id: "…"].name`. */
function swiftPlace(path, model) {
  let type = model;
  let text = `${type.name ?? "State"}.places`;
  for (const part of segments(path)) {
    const { kind } = unwrapped(type);
    text += kind === "list" ? `[id: ${JSON.stringify(part)}]` : kind === "dictionary"
      ? `[key: ${JSON.stringify(part)}]` : `.${part}`;
    type = step(type, part);
  }
  return text;
}
