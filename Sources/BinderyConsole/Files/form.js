// Controls for values of each type. A control keeps what the user typed as a plain state, which drafts can store.

import { Failure, make } from "./api.js";
import { activeCase, describe, isLeaf, parentOf, parseJSON, segments, step, toJSON, unwrapped,
  visible } from "./schema.js";

/** Follows a local time that occurs for the second time, because clocks were turned back. */
const secondTime = "*";

/** Returns an RFC 3339 date as the local time that a `datetime-local` control shows. */
function localTime(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return "";
  // The year 10000 has a sign there, which the control refuses.
  const local = new Date(date - date.getTimezoneOffset() * 60_000).toISOString().slice(0, -1).replace("+0", "");
  return new Date(local) < date ? local + secondTime : local;
}

/** Returns the time that the state of a date control stands for. */
function instantOf(state) {
  const local = state.replace(secondTime, "");
  const first = new Date(local);
  const nextDay = new Date(first.getTime() + 86_400_000);
  const shift = nextDay.getTimezoneOffset() - first.getTimezoneOffset();
  const second = new Date(first.getTime() + shift * 60_000);
  return local !== state && localTime(second).startsWith(local) ? second : first;
}

/** Returns the state of the control for a value. Read-only members are part of a new value only. */
export function stateOf(type, value, isNew = value === undefined) {
  if (value === undefined) value = type.initial;
  switch (type.kind) {
    case "optional": return value === null || value === undefined ? { isNil: true }
      : { of: stateOf(type.of, type.isNested ? value.some : value, isNew) };
    case "struct": return Object.fromEntries(members(type)
      .filter((member) => (isNew || !member.type.isReadOnly)
        && (value?.[member.name] !== undefined || !canBeLeftOut(type, member)))
      .map((member) => [member.name, stateOf(member.type, value?.[member.name], isNew)]));
    case "enum": {
      const name = value === undefined ? type.cases[0].name : activeCase(value);
      const payload = step(type, name);
      return { name, payload: payload && stateOf(payload, value?.[name], isNew) };
    }
    case "bool": return value ?? false;
    case "choice": return value ?? type.values[0];
    case "number": return toJSON(value) ?? "";
    case "date": return localTime(value ?? Date.now());
    case "text": return value ?? "";
    case "dictionary": return toJSON(value ?? {}, 2);
    case "list": return toJSON(value ?? [], 2);
    default: return value === undefined ? (type.schema?.type === "array" ? "[]" : "null") : toJSON(value, 2);
  }
}

/** Returns the JSON of a state. Values that are not valid are sent as typed, and the server says what is wrong. */
export function jsonOf(type, state) {
  switch (type.kind) {
    case "optional": return state.isNil ? "null"
      : type.isNested ? `{"some":${jsonOf(type.of, state.of)}}` : jsonOf(type.of, state.of);
    case "struct": return `{${members(type).filter((member) => member.name in state)
      .map((member) => `${JSON.stringify(member.name)}:${jsonOf(member.type, state[member.name])}`).join(",")}}`;
    case "enum": {
      const payload = step(type, state.name);
      return payload ? `{${JSON.stringify(state.name)}:${jsonOf(payload, state.payload)}}` : JSON.stringify(state.name);
    }
    case "number": {
      const text = state.trim();
      return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? text : JSON.stringify(state);
    }
    case "date": {
      const date = instantOf(state);
      return JSON.stringify(Number.isNaN(date.getTime()) ? state : date.toISOString());
    }
    case "json": case "list": case "dictionary": {
      // The server would speak of the whole body, and in a form, a part could become valid with what is around it.
      const text = state.trim();
      try {
        JSON.parse(text);
      } catch {
        const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
        throw new Failure(0, { title: `“${shown}” is not valid JSON. Texts and names need double quotes.` });
      }
      return text;
    }
    default: return toJSON(state);
  }
}

/** Returns whether the state of a control stands for a value. */
export function isSame(type, state, value) {
  if (type.kind === "text") return state === value;
  if (type.kind === "date" && value !== null) return instantOf(state).getTime() === new Date(value).getTime();
  try {
    return toJSON(parseJSON(jsonOf(type, state))) === toJSON(value);
  } catch {
    return false;
  }
}

const members = (type) => type.members.filter(({ type: { isComputed, isID, isGenerated } }) => !isComputed
  && !(isID && isGenerated));

const canBeLeftOut = (type, { name, type: { isID, initial, kind } }) => !type.required?.includes(name) && !isID
  && initial === undefined && kind !== "optional";

/**
 * Creates the control of a type.
 *
 * @param onInput called with the new state after each input
 * @param options.hidesPayload whether the payload of the active case has controls elsewhere
 * @returns an element; its `control` is what the label names and the focus goes to
 */
export function control(type, state, onInput, { label, id, hidesPayload }) {
  const common = { id, autocomplete: "off", spellcheck: false, "aria-label": label };
  const oninput = (event) => onInput(event.target.value);
  switch (type.kind) {
    case "bool": return wrap(make("input", { ...common, type: "checkbox", role: "switch", checked: state,
      onchange: (event) => onInput(event.target.checked, true) }));
    case "choice": return wrap(select(type.values, state, (value) => onInput(value, true), common));
    case "enum": return enumControl(type, state, onInput, common, hidesPayload);
    case "optional": return (type.isNested ? nestedOptionalControl : optionalControl)(type, state, onInput, common,
      hidesPayload);
    case "struct": return structControl(type, state, onInput, common);
    case "number": return wrap(make("input", { ...common, type: "text", inputMode: "decimal", value: state,
      className: "number", oninput }));
    case "date": return dateControl(state, onInput, common);
    case "text": return textControl(type, state, onInput, common);
    default: return wrap(make("textarea", { ...common, value: state, className: "code",
      rows: Math.min(12, lines(state) + 1), oninput }));
  }
}

/** Sets the control of an element; that of its parts may change. */
const withControl = (element, get) => Object.defineProperty(element, "control", { get, configurable: true });

const wrap = (element, focus = element) => withControl(element, () => focus);

const part = (common, name) => ({ label: `${common["aria-label"]}, ${name}`, id: `${common.id}/${name}` });

/** Returns how many lines a text has in a control, about. */
const lines = (text) => text.slice(0, 10_000).split("\n").reduce((sum, line) =>
  sum + Math.max(1, Math.ceil(line.length / 70)), 0);

function dateControl(state, onInput, common) {
  const mark = state.endsWith(secondTime) ? secondTime : "";
  const inUTC = (text) => {
    const date = instantOf(text);
    return Number.isNaN(date.getTime()) ? "" : date.toISOString();
  };
  return wrap(make("input", { ...common, type: "datetime-local", step: "0.001", value: state.replace(mark, ""),
    title: inUTC(state), oninput: ({ target }) => {
      const next = target.value + mark;
      target.title = inUTC(next);
      onInput(next);
    } }));
}

const codePoints = (text) => text.replace(/[\udc00-\udfff]/g, "").length;

/**
 * Returns a function that gives the lines of a changed text the ends that they have in a text. A control has line feeds
 * only.
 */
function lineEndsOf(text) {
  const ends = text.match(/\r\n?|\n/g) ?? [];
  const plain = text.replace(/\r\n?/g, "\n");
  return (changed) => {
    let same = 0;
    while (same < changed.length && changed[same] === plain[same]) same += 1;
    // After the first change, lines are counted from the end.
    const added = changed.split("\n").length - 1 - ends.length;
    let line = 0;
    return changed.replaceAll("\n", (_, at) => ends[at < same ? line++ : line++ - added] ?? ends[0] ?? "\n");
  };
}

function textControl(type, state, onInput, common) {
  const isLong = state.length > 80 || /[\r\n]/.test(state);
  const withEnds = lineEndsOf(state);
  const most = type.schema?.maxLength ?? type.schema?.["x-bindery"]?.characters?.[1];
  const counter = make("span", { className: "counter" });
  const count = (text) => {
    counter.textContent = isLong || (most && text.length > most * 0.8)
      ? `${codePoints(text).toLocaleString()}${most ? ` / ${most.toLocaleString()}` : ""}` : "";
  };
  const oninput = ({ target: { value } }) => { count(value); onInput(withEnds(value)); };
  const area = (value) => make("textarea", { ...common, value, rows: Math.min(16, lines(value) + 2), oninput });
  const box = make("span", { className: "text" });
  const show = (input) => {
    box.replaceChildren(input, counter);
    return wrap(box, input);
  };
  count(state);
  if (isLong) return show(area(state));
  /** Inserts a text with a line break, which needs another control. */
  const insert = (event, text) => {
    event.preventDefault();
    const { selectionStart, selectionEnd } = input;
    const larger = area(input.value);
    larger.setRangeText(text.replace(/\r\n?/g, "\n"), selectionStart, selectionEnd, "end");
    show(larger);
    larger.focus();
    larger.dispatchEvent(new Event("input"));
  };
  const input = make("input", { ...common, type: "text", value: state, oninput,
    onkeydown: (event) => { if (event.key === "Enter" && event.shiftKey) insert(event, "\n"); },
    onpaste: (event) => {
      const text = event.clipboardData.getData("text");
      if (/[\r\n]./.test(text)) insert(event, text);
    } });
  return show(input);
}

function select(values, selected, onSelect, common) {
  const element = make("select", { ...common, onchange: () => onSelect(values[element.selectedIndex]) },
    ...values.map((value) => make("option", { textContent: visible(value), selected: value === selected })));
  return element;
}

/** Creates an element whose parts depend on a choice among them. `draw` returns the parts of a state, control first. */
function redrawn(className, state, draw) {
  const box = make("span", { className });
  const show = (current) => {
    const parts = draw(current, (next) => { show(next); box.control.focus(); }).filter(Boolean);
    box.replaceChildren(...parts);
    withControl(box, () => parts[0].control ?? parts[0]);
  };
  show(state);
  return box;
}

const payloadControl = (type, ...rest) => type && make("span", { className: "payload" }, control(type, ...rest));

function enumControl(type, state, onInput, common, hidesPayload) {
  return redrawn("enum", state, (current, show) => {
    const list = select(type.cases.map((each) => each.name), current.name, (name) => {
      const payload = step(type, name);
      const next = name === state.name ? state : { name, payload: payload && stateOf(payload) };
      // A case without payload is complete, so it is written at once.
      onInput(next, !payload);
      show(next);
    }, common);
    const { name } = current;
    return [list, payloadControl(!(hidesPayload && name === state.name) && step(type, name), current.payload,
      (payload) => onInput({ name, payload }), part(common, name))];
  });
}

function optionalControl(type, state, onInput, common) {
  const label = common["aria-label"];
  return redrawn("optional", state, (current, show) => {
    const toggle = make("input", { type: "checkbox", checked: Boolean(current.isNil), "aria-label": `${label}: nil`,
      onchange: () => {
        const next = toggle.checked ? { isNil: true } : { of: stateOf(type.of) };
        onInput(next);
        show(next);
      } });
    return [current.isNil ? null : control(type.of, current.of, (of, isFinal) => onInput({ of }, isFinal),
      { label, id: common.id }), make("label", { className: "nil" }, toggle, "nil")];
  });
}

function nestedOptionalControl(type, state, onInput, common, hidesPayload) {
  return redrawn("optional", state, (current, show) => {
    const chosen = current.isNil ? "nil" : current.of.isNil ? "some(nil)" : "value";
    const list = select(["nil", "some(nil)", "value"], chosen, (name) => {
      const next = name === "nil" ? { isNil: true }
        : { of: name === "value" ? { of: stateOf(type.of.of) } : { isNil: true } };
      onInput(next, name !== "value");
      show(next);
    }, common);
    const payload = chosen === "value" && !(hidesPayload && current === state) && type.of.of;
    return [list, payloadControl(payload, current.of?.of, (of) => onInput({ of: { of } }), part(common, "some"))];
  });
}

function structControl(type, state, onInput, common) {
  let current = state;
  const rows = members(type).filter((member) => member.name in state).map((member) => {
    const input = control(member.type, state[member.name], (value) => {
      current = { ...current, [member.name]: value };
      onInput(current);
    }, part(common, member.name));
    const hint = make("small", { textContent: isLeaf(member.type) ? describe(member.type) : "" });
    return [make("span", { className: "member" }, make("span", { className: "member-name" }, visible(member.name), " ",
      hint), input), input];
  });
  const box = make("span", { className: "members" }, ...rows.map(([row]) => row));
  return withControl(box, () => rows[0]?.[1].control ?? box);
}

/** Returns the type whose control edits a place, given its value: an optional with a value is edited like the value. */
export const editedType = (type, value) => (value === null || type.isNested ? type : unwrapped(type));

/** Returns the control with this id for the part at a pointer, or for the nearest part above it. */
export function partAt(id, pointer = "") {
  for (let path = pointer; path; path = parentOf(path)) {
    const found = document.getElementById([id, ...segments(path)].join("/"));
    if (found) return found;
  }
}

/** Marks one control as invalid, if any, and no other one in a box. */
export function markInvalid(box, invalid, messageID) {
  for (const each of box.querySelectorAll("[aria-invalid]")) each.removeAttribute("aria-invalid");
  invalid?.setAttribute("aria-invalid", true);
  invalid?.setAttribute("aria-describedby", messageID);
}
