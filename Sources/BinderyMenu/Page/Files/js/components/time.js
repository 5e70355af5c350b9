import { patch, put } from "../api.js";
import { Component } from "../component.js";
import { Draft } from "../draft.js";
import { heard } from "../state.js";
import { fieldText, moment, wordsFor } from "../times.js";

/** Tonight, tomorrow, or another time: the name of the active case. */
export class TimePicker extends Component {
  constructor(element) {
    super(element);
    element.addEventListener("change", (event) => this.#choose(event.target.value));
  }

  draw(choice) {
    for (const option of this.element.querySelectorAll("input")) option.checked = option.value === choice;
  }

  async #choose(choice) {
    // Any write to `customTimeOrDefault` switches to the custom time: what it shows brings the last date back.
    const work = choice === "custom"
      ? () => put("/customTimeOrDefault", heard("/customTimeOrDefault"))
      : () => put("/time", choice);
    if (!(await this.act(work))) this.draw(this.value);
  }
}

/** The date of the custom time: null while another time is chosen, and then there is no field. */
export class CustomTime extends Component {
  #field;
  #draft;

  constructor(element) {
    super(element);
    this.#field = element.querySelector("input");
    this.#draft = new Draft(this.#field, {
      read: () => (this.#field.validity.valid ? moment(this.#field.value) : undefined),
      show: (date) => { if (date) this.#field.value = fieldText(date); },
      // Through the case, which must be active: a late key never switches the time back.
      write: (date) => this.attempt(() => patch("/time/custom", date)),
      delay: 600,
    });
  }

  draw(date) {
    this.element.hidden = date === null;
    const text = this.element.querySelector("time");
    text.dateTime = date ?? "";
    text.textContent = date ? wordsFor(date) : "";
    this.#draft.hear(date);
    if (date === null) {
      this.#draft.drop();
      this.tell("");
    }
  }
}
