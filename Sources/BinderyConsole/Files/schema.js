// The types of a model, read from /model.json. Each type says which control its places have and which paths lead below.

export const segments = (pointer) =>
  pointer === "" ? [] : pointer.slice(1).split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));

export const join = (pointer, segment) => `${pointer}/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`;

export const parentOf = (pointer) => pointer.slice(0, pointer.lastIndexOf("/"));

export const urlOf = (pointer) => "state" + pointer.split("/").map(encodeURIComponent).join("/");

/** Members that name an element, most specific first. */
const titleMembers = ["name", "title", "label"];
const titleKinds = ["text", "number", "date", "choice"];

const scalars = {
  "date-time": ["date", "Date"], date: ["text", "Day"], uuid: ["text", "UUID"], uri: ["text", "URL"],
  duration: ["text", "Duration"], float: ["number", "Float"],
};

export function readModel(file) {
  const definitions = new Map();
  const root = typeOf(file, file, definitions, file.title);
  resolveOptics(root, root, new Set());
  return root;
}

function typeOf(schema, file, definitions, title) {
  if (schema.$ref) {
    const name = segments(schema.$ref.slice(1))[1];
    if (!definitions.has(name)) definitions.set(name, typeOf(file.$defs[name], file, definitions, name));
    return annotated(definitions.get(name), schema);
  }
  const nested = (part) => typeOf(part, file, definitions);
  return annotated({ name: title, schema, ...shapeOf(schema, nested) }, schema);
}

function annotated(type, schema) {
  const own = schema["x-bindery"] ?? {};
  return {
    ...type,
    description: schema.description ?? type.description,
    isReadOnly: schema.readOnly ?? false,
    isComputed: own.swift === "computed",
    isGenerated: own.generated ?? false,
    initial: schema.default ?? type.initial,
    optic: ["alias", "lookup", "orDefault", "remembered", "count", "filter", "label"]
      .filter((name) => name in own).map((name) => ({ name, place: own[name] }))[0],
  };
}

function shapeOf(schema, nested) {
  const own = schema["x-bindery"] ?? {};
  if (schema.anyOf) {
    const part = schema.anyOf.find((each) => each.type !== "null");
    const some = layerOf(part);
    return { kind: "optional", isNested: some !== undefined, of: nested(some ?? part) };
  }
  if (Array.isArray(schema.type)) {
    return { kind: "optional", of: nested({ ...schema, type: schema.type.find((name) => name !== "null") }) };
  }
  if (schema.oneOf) return { kind: "enum", cases: schema.oneOf.map((part) => caseOf(part, nested)) };
  if (schema.enum) return { kind: "choice", values: schema.enum };
  if (schema.type === "object" && schema.properties) {
    const members = Object.entries(schema.properties)
      .map(([name, part]) => ({ name, type: { ...nested(part), isID: name === own.id } }));
    return { kind: "struct", members, id: own.id, required: schema.required ?? [],
      further: schema.additionalProperties === true };
  }
  if (schema.type === "object") return { kind: "dictionary", element: nested(schema.additionalProperties),
    keys: own.keys };
  if (schema.type === "array") {
    const element = nested(schema.items ?? true);
    const isCollection = element.kind === "struct" && element.id !== undefined && own.addressable !== false;
    return { kind: isCollection ? "list" : "json", element };
  }
  if (schema.type === "boolean") return { kind: "bool" };
  if (schema.type === "integer" || schema.type === "number") return { kind: "number" };
  if (schema.type === "string") return { kind: scalars[schema.format]?.[0] ?? "text" };
  return { kind: "json" };
}

/** Returns the schema of the value if this is a layer of a nested optional: an object whose one member may be null. */
function layerOf(schema) {
  const names = Object.keys(schema.properties ?? {});
  if (names.length !== 1 || names[0] !== "some" || schema.$ref) return undefined;
  const { some } = schema.properties;
  return some.anyOf || Array.isArray(some.type) ? some : undefined;
}

function caseOf(schema, nested) {
  if ("const" in schema) return { name: schema.const, payload: null };
  const [name, payload] = Object.entries(schema.properties)[0];
  return { name, payload: nested(payload) };
}

/**
 * Gives computed members of model files, which have no type of their own, the type of the place that they follow. Then
 * it is known which member can be a title.
 */
function resolveOptics(type, root, visited) {
  if (visited.has(type)) return;
  visited.add(type);
  for (const member of type.members ?? []) {
    if (member.type.optic) member.type = { ...member.type, ...opticType(member.type.optic, type, root),
      isComputed: true };
    resolveOptics(member.type, root, visited);
  }
  type.title = titleMembers.find((name) => type.members?.some((member) => member.name === name
    && titleKinds.includes(unwrapped(member.type).kind)));
  for (const each of type.cases ?? []) if (each.payload) resolveOptics(each.payload, root, visited);
  for (const below of [type.of, type.element]) if (below) resolveOptics(below, root, visited);
}

function opticType({ name, place }, owner, root) {
  const find = (pointer) => typeAt(owner, pointer) ?? typeAt(root, pointer);
  const shape = (type) => {
    if (!type) return undefined;
    const { description, isReadOnly, isComputed, isGenerated, initial, optic, isID, ...shape } = type;
    return shape;
  };
  switch (name) {
    case "alias": return shape(find(place)) ?? { kind: "json" };
    case "lookup": return { kind: "optional", of: find(place.in)?.element ?? { kind: "json" } };
    case "orDefault": return shape(find(place.of)?.of) ?? { kind: "json" };
    case "remembered": return { kind: "optional", of: find(place) ?? { kind: "json" }, isReadOnly: true };
    case "count": return { kind: "number", schema: { type: "integer" }, isReadOnly: true };
    case "label": return { kind: "text", schema: {}, isReadOnly: true };
    default: return { kind: "json", schema: {}, isReadOnly: true };
  }
}

export function step(type, segment) {
  switch (type.kind) {
    case "optional": return !type.isNested ? step(type.of, segment) : segment === "some" ? type.of : undefined;
    case "struct": return type.members.find((member) => member.name === segment)?.type
      ?? (type.further ? { kind: "json", schema: {}, isFurther: true } : undefined);
    case "enum": return type.cases.find((each) => each.name === segment)?.payload ?? undefined;
    case "list": return type.element;
    case "dictionary": return type.element;
  }
}

export function typeAt(root, pointer) {
  let type = root;
  for (const segment of segments(pointer)) type = type && step(type, segment);
  return type;
}

/** Returns whether the value at a place is computed from stored ones. */
export const isComputedAt = (root, pointer) => segments(pointer).some((_, index, all) =>
  typeAt(root, all.slice(0, index + 1).reduce(join, ""))?.isComputed);

export const unwrapped = (type) => (type.kind === "optional" ? type.of : type);

/** Returns whether all that is below a place is part of its own value, so that it is shown in one row. */
export const isLeaf = (type) => !["struct", "list", "dictionary", "enum"].includes(unwrapped(type).kind);

/** Returns whether a stream needs only the ETag of a place, because its rows below show the value. */
export const isShallow = (type) => ["struct", "list", "dictionary"].includes(type.kind);

/** Returns whether the value of a place is shown by rows of their own below it. */
export const isContainer = (type) => ["struct", "list", "dictionary"].includes(unwrapped(type).kind);

export const activeCase = (value) => (value !== null && typeof value === "object" ? Object.keys(value)[0] : value);

/** Describes a type as a Swift programmer writes it, with its range. */
export const describe = (type) => nameOf(type) + rangeOf((type.of ?? type).schema ?? {});

function nameOf(type) {
  const schema = type.schema ?? {};
  switch (type.kind) {
    case "optional": return `${nameOf(type.of)}?`;
    case "struct": return type.name ?? "Object";
    case "enum": return type.name ?? type.cases.map((each) => each.name).join(" | ");
    case "choice": return type.values.map((value) => toJSON(value)).join(" | ");
    case "list": return `[${describe(type.element)}]`;
    case "dictionary": return `[String: ${describe(type.element)}]`;
    case "bool": return "Bool";
    case "number": return schema.type === "integer" ? "Int" : scalars[schema.format]?.[1] ?? "Double";
    case "date": return "Date";
    case "text": return scalars[schema.format]?.[1] ?? (schema.contentEncoding ? "Data" : "String");
    default: return schema.type === "array" ? `[${describe(type.element)}]` : "JSON";
  }
}

function rangeOf(schema) {
  const own = schema["x-bindery"] ?? {};
  const [least, most] = own.characters ?? [schema.minLength, schema.maxLength];
  const parts = [];
  if (schema.minimum !== undefined && schema.maximum !== undefined) parts.push(`${schema.minimum}…${schema.maximum}`);
  else if (schema.minimum !== undefined) parts.push(`≥ ${schema.minimum}`);
  else if (schema.maximum !== undefined) parts.push(`≤ ${schema.maximum}`);
  if (schema.exclusiveMinimum !== undefined) parts.push(`> ${schema.exclusiveMinimum}`);
  if (schema.exclusiveMaximum !== undefined) parts.push(`< ${schema.exclusiveMaximum}`);
  if (most !== undefined) parts.push(`${least ?? 0}…${most} characters`);
  else if (least !== undefined) parts.push(`≥ ${least} character${least === 1 ? "" : "s"}`);
  return parts.length ? ` ${parts.join(", ")}` : "";
}

/** Returns text in which characters that would change how it is read are shown as escapes. */
export const visible = (text) => String(text).replace(
  // Joiners are part of words and of emoji.
  /[\0-\t\v-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|(?<=\p{sc=Latin})[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{S}])/gu,
  (character) => `\\u{${character.codePointAt(0).toString(16).toUpperCase()}}`);

/** Returns a place as text in which long ids are cut. */
export const shortPath = (path) => visible(segments(path).map((part) =>
  `/${part.length > 16 ? `${part.slice(0, 8)}…` : part}`).join("") || "/");

export function summary(value, type) {
  if (value === undefined) return "";
  if (value === null) return "nil";
  if (type?.isNested) return value.some === null ? "some(nil)" : summary(value.some, type.of);
  const base = type ? unwrapped(type) : {};
  if (base.kind === "enum") return visible(activeCase(value));
  if (base.kind === "date" && !Number.isNaN(Date.parse(value))) return localDate(value);
  const text = typeof value === "string" ? value || '""' : toJSON(value);
  return visible(text.length > 200 ? text.slice(0, 200) + "…" : text).replaceAll("\n", "⏎");
}

/** Returns the values as texts that differ if the values do: in short, as they are, or as JSON. */
export function summaries(values, type) {
  const [short, whole, json] = [summary, (value) => (typeof value === "string" ? value : summary(value)),
    (value) => toJSON(value) ?? ""].map((form) => values.map((value) => visible(form(value, type).slice(0, 2_000))));
  return [short, whole].find((texts) => new Set(texts).size === new Set(json).size) ?? json;
}

export const countText = (type, count) => `${count.toLocaleString()} ${
  type.kind === "list" ? (count === 1 ? "element" : "elements") : count === 1 ? "entry" : "entries"}`;

/** Returns the number of elements or entries at a place, if it is a collection and the number is known. */
export const countOf = (type, place) => place?.count
  ?? (["list", "dictionary"].includes(unwrapped(type).kind) && place?.value
    ? Object.keys(place.value).length : undefined);

const localDate = (text) => dateFormat.format(new Date(text));
const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** Parses JSON; integers that a number cannot hold become `bigint`. */
export const parseJSON = (text) => JSON.parse(text, (_, value, context) =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
    ? BigInt(context.source) : value);

export const toJSON = (value, indent) => JSON.stringify(value, (_, each) =>
  typeof each === "bigint" ? JSON.rawJSON(String(each)) : Object.is(each, -0) ? JSON.rawJSON("-0") : each, indent);
