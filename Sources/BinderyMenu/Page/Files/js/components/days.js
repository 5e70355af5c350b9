import { Component } from "../component.js";
import { arrangeChildren, cloneTemplate, reconcile } from "../dom.js";
import { set } from "../state.js";

/** The row of days. Each card renders itself. */
export class DayRow extends Component {
  #cards = new Map();

  constructor(element) {
    super(element);
    this.errorElement = document.getElementById("days-error");
    element.addEventListener("change", (event) => this.#select(event.target.value));
  }

  update(days) {
    const cards = reconcile(this.#cards, days, (day) => day.date, (day) => new DayCard(day.date));
    arrangeChildren(this.element, cards.map((card) => card.element));
  }

  async #select(date) {
    // Write `isSelected` of one card. The server deselects the previous card.
    const succeeded = await this.perform(() => set(`/days/${date}/isSelected`, true));
    if (!succeeded) for (const card of this.#cards.values()) card.render(card.value);
  }
}

class DayCard extends Component {
  constructor(date) {
    super(cloneTemplate("day-template"), `/days/${date}`);
  }

  render({ date, weekday, number, isSelected }) {
    const input = this.element.querySelector("input");
    input.value = date;
    input.checked = isSelected;
    input.ariaLabel = `${weekday} ${number}`;
    this.element.dataset.date = date;
    this.element.querySelector(".weekday").textContent = weekday.slice(0, 3);
    this.element.querySelector(".number").textContent = number;
  }
}
