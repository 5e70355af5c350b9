import { Component } from "../component.js";
import { Draft } from "../draft.js";
import { currentValue, set } from "../state.js";
import { fieldText, localizedText, timestamp, zone } from "../times.js";

/** The choice between tonight, tomorrow and a custom time. Its value is the name of the active enum case. */
export class TimePicker extends Component {
  constructor(element) {
    super(element);
    element.addEventListener("change", (event) => this.#choose(event.target.value));
  }

  render(choice) {
    for (const option of this.element.querySelectorAll("input")) option.checked = option.value === choice;
  }

  async #choose(choice) {
    // Any write to `customTimeOrDefault` selects the custom time. Writing its current value restores the last date.
    const operation = choice === "custom"
      ? () => set("/customTimeOrDefault", currentValue("/customTimeOrDefault"))
      : () => set("/time", choice);
    if (!(await this.perform(operation))) this.render(this.value);
  }
}

/** The field of the custom time. Its value is null while another time is selected; the field is then hidden. */
export class CustomTime extends Component {
  #field;
  #draft;

  constructor(element) {
    super(element);
    this.#field = element.querySelector("input");
    element.querySelector("#zone").textContent = `(${zone})`;
    this.#draft = new Draft(this.#field, {
      read: () => (this.#field.validity.valid ? timestamp(this.#field.value) : undefined),
      show: (date) => { if (date) this.#field.value = fieldText(date); },
      // The case must be active, so delayed input never switches the time back.
      write: (date) => this.performOrThrow(() => set("/time/custom", date)),
      delay: 600,
    });
  }

  render(date) {
    this.element.hidden = date === null;
    const text = this.element.querySelector("time");
    text.dateTime = date ?? "";
    text.textContent = date ? localizedText(date) : "";
    this.#draft.receive(date);
    if (date === null) {
      this.#draft.discard();
      this.showError("");
    }
  }
}
