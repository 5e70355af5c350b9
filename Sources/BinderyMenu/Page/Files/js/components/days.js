import { patch } from "../api.js";
import { Component } from "../component.js";
import { arrange, copy, keyed } from "../dom.js";

/** The row of days: each card draws itself. */
export class DayRow extends Component {
  #cards = new Map();

  constructor(element) {
    super(element);
    this.errorElement = document.getElementById("days-error");
    element.addEventListener("change", (event) => this.#select(event.target.value));
  }

  take(days) {
    const cards = keyed(this.#cards, days, (day) => day.date, () => new DayCard());
    arrange(this.element, cards.map((card) => card.element));
  }

  async #select(date) {
    // A card is told through its own binding; the old one hears of it.
    const done = await this.act(() => patch(`/days/${date}`, { isSelected: true }));
    if (!done) for (const card of this.#cards.values()) card.draw(card.value);
  }
}

class DayCard extends Component {
  constructor() {
    super(copy("day-template"));
  }

  draw({ date, weekday, number, isSelected }) {
    const input = this.element.querySelector("input");
    input.value = date;
    input.checked = isSelected;
    input.ariaLabel = `${weekday} ${number}`;
    this.element.dataset.date = date;
    this.element.querySelector(".weekday").textContent = weekday.slice(0, 3);
    this.element.querySelector(".number").textContent = number;
  }
}
