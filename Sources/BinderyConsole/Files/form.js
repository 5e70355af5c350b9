// Controls for values of each type. A control keeps what the user typed as a plain state, which drafts can store.

import { make } from "./api.js";
import { activeCase, toJSON, unwrapped, visible } from "./schema.js";

const twoDigits = (number) => String(number).padStart(2, "0");

/** Returns an RFC 3339 date as the local time that a `datetime-local` control shows. */
export function localTime(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return "";
  const day = [String(date.getFullYear()).padStart(4, "0"), twoDigits(date.getMonth() + 1), twoDigits(date.getDate())];
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(":");
  return `${day.join("-")}T${time}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** Returns the state of the control for a value. */
export function stateOf(type, value) {
  if (value === undefined) value = type.initial;
  switch (type.kind) {
    case "optional": return value === null || value === undefined ? { isNil: true } : { of: stateOf(type.of, value) };
    case "struct": return Object.fromEntries(members(type)
      .filter((member) => value?.[member.name] !== undefined || !canBeLeftOut(type, member))
      .map((member) => [member.name, stateOf(member.type, value?.[member.name])]));
    case "enum": {
      const name = value === undefined ? type.cases[0].name : activeCase(value);
      const payload = type.cases.find((each) => each.name === name)?.payload;
      return { name, payload: payload ? stateOf(payload, value?.[name]) : undefined };
    }
    case "bool": return value ?? false;
    case "choice": return value ?? type.values[0];
    case "number": return value === undefined ? "" : String(value);
    case "date": return localTime(value ?? Date.now());
    case "text": return value ?? "";
    case "dictionary": return toJSON(value ?? {}, 2);
    case "list": return toJSON(value ?? [], 2);
    default: return value === undefined ? (type.schema?.type === "array" ? "[]" : "null") : toJSON(value, 2);
  }
}

/** Returns the JSON of a state. What is not valid is sent as typed, and the server says what is wrong. */
export function jsonOf(type, state) {
  switch (type.kind) {
    case "optional": return state.isNil ? "null" : jsonOf(type.of, state.of);
    case "struct": return `{${members(type).filter((member) => member.name in state)
      .map((member) => `${JSON.stringify(member.name)}:${jsonOf(member.type, state[member.name])}`).join(",")}}`;
    case "enum": {
      const payload = type.cases.find((each) => each.name === state.name)?.payload;
      return payload ? `{${JSON.stringify(state.name)}:${jsonOf(payload, state.payload)}}` : JSON.stringify(state.name);
    }
    case "number": {
      const text = state.trim();
      return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? text : JSON.stringify(state);
    }
    case "date": {
      const date = new Date(state);
      return JSON.stringify(Number.isNaN(date.getTime()) ? state : date.toISOString());
    }
    case "json": case "list": case "dictionary": return state.trim();
    default: return JSON.stringify(state);
  }
}

const members = (type) => type.members.filter((member) => !member.type.isReadOnly && !member.type.isComputed
  && !(member.type.isID && member.type.isGenerated));

const canBeLeftOut = (type, member) => !type.required?.includes(member.name) && member.type.initial === undefined
  && member.type.kind !== "optional";

/**
 * Creates the control of a type.
 *
 * @param onInput called with the new state after each input
 * @returns an element; its `control` is what the label names and the focus goes to
 */
export function control(type, state, onInput, { label, id }) {
  const common = { id, autocomplete: "off", spellcheck: false, "aria-label": label };
  const wrap = (element, focus = element) => Object.assign(element, { control: focus });
  switch (type.kind) {
    case "bool": {
      const box = make("input", { ...common, type: "checkbox", role: "switch", checked: state,
        onchange: () => onInput(box.checked, true) });
      return wrap(box);
    }
    case "choice": case "enum": return type.kind === "choice"
      ? wrap(select(type.values, state, (value) => onInput(value, true), common))
      : enumControl(type, state, onInput, { label, id, common, wrap });
    case "optional": return optionalControl(type, state, onInput, { label, id, wrap });
    case "struct": return structControl(type, state, onInput, { label, id, wrap });
    case "number":
      return wrap(make("input", { ...common, type: "text", inputMode: "decimal", value: state, className: "number",
        oninput: (event) => onInput(event.target.value) }));
    case "date":
      return wrap(make("input", { ...common, type: "datetime-local", step: "0.001", value: state,
        oninput: (event) => onInput(event.target.value) }));
    case "text": return textControl(type, state, onInput, common, wrap);
    default:
      return wrap(make("textarea", { ...common, value: state, className: "code", rows: Math.min(12, lines(state) + 1),
        oninput: (event) => onInput(event.target.value) }));
  }
}

const lines = (text) => text.split("\n").length;

function textControl(type, state, onInput, common, wrap) {
  const isLong = state.length > 80 || state.includes("\n");
  const most = type.schema?.maxLength ?? type.schema?.["x-bindery"]?.characters?.[1];
  const counter = make("span", { className: "counter" });
  const count = (text) => {
    counter.textContent = isLong || (most && text.length > most * 0.8)
      ? `${[...text].length}${most ? ` / ${most}` : ""}` : "";
  };
  const oninput = (event) => { count(event.target.value); onInput(event.target.value); };
  const input = isLong
    ? make("textarea", { ...common, value: state, rows: Math.min(12, lines(state) + 2), oninput })
    : make("input", { ...common, type: "text", value: state, oninput });
  count(state);
  return wrap(make("span", { className: "text" }, input, counter), input);
}

function select(values, selected, onSelect, common) {
  const element = make("select", { ...common, onchange: () => onSelect(values[element.selectedIndex]) },
    ...values.map((value) => make("option", { textContent: visible(value), selected: value === selected })));
  return element;
}

function enumControl(type, state, onInput, { label, id, common, wrap }) {
  const payloadOf = (name) => type.cases.find((each) => each.name === name)?.payload;
  const names = type.cases.map((each) => each.name);
  const box = make("span", { className: "enum" });
  const render = (current) => {
    const list = select(names, current.name, (name) => {
      const payload = payloadOf(name);
      const next = { name, payload: payload ? stateOf(payload) : undefined };
      // A case without payload is complete, so it is written at once.
      onInput(next, !payload);
      render(next);
      box.control.focus();
    }, common);
    const payload = payloadOf(current.name);
    const below = payload && control(payload, current.payload, (value) => {
      current = { name: current.name, payload: value };
      onInput(current);
    }, { label: `${label}, ${current.name}`, id: `${id}/${current.name}` });
    box.replaceChildren(list, ...(below ? [make("span", { className: "payload" }, below)] : []));
    box.control = list;
  };
  render(state);
  return wrap(box, box.control);
}

function optionalControl(type, state, onInput, { label, id, wrap }) {
  const box = make("span", { className: "optional" });
  const render = (current) => {
    const toggle = make("input", { type: "checkbox", checked: Boolean(current.isNil), "aria-label": `${label}: nil`,
      onchange: () => {
        const next = toggle.checked ? { isNil: true } : { of: stateOf(type.of) };
        onInput(next);
        render(next);
      } });
    const inner = current.isNil ? null
      : control(type.of, current.of, (value, isFinal) => onInput({ of: value }, isFinal), { label, id });
    box.replaceChildren(...(inner ? [inner] : []), make("label", { className: "nil" }, toggle, "nil"));
    box.control = inner?.control ?? toggle;
  };
  render(state);
  return wrap(box, box.control);
}

function structControl(type, state, onInput, { label, id, wrap }) {
  let current = state;
  const rows = members(type).filter((member) => member.name in state).map((member) => {
    const input = control(member.type, state[member.name], (value) => {
      current = { ...current, [member.name]: value };
      onInput(current);
    }, { label: `${label}, ${member.name}`, id: `${id}/${member.name}` });
    return [make("span", { className: "member" }, make("span", { className: "member-name",
      textContent: visible(member.name) }),
      input), input.control];
  });
  const box = make("span", { className: "members" }, ...rows.map(([row]) => row));
  return wrap(box, rows[0]?.[1] ?? box);
}

/** Returns the type whose control edits a place, given its value: an optional with a value is edited like the value. */
export const editedType = (type, value) => (value === null || type.of?.kind === "optional" ? type : unwrapped(type));
