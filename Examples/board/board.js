// A menu board for a TV. Serve it with: bindery serve --www Examples/board
import { connect } from "/client.js";

const menu = connect(undefined, { hidden: "keep" });
const list = document.getElementById("dishes");
const status = document.getElementById("status");

menu.at("/dishes").subscribe((dishes = []) => {
  list.replaceChildren(...dishes.map((dish) => {
    const row = document.createElement("li"), left = document.createElement("span");
    const { inStock } = dish.status;
    row.append(dish.name, left);
    row.className = inStock ? "" : "soldOut";
    left.textContent = inStock ? `${inStock.quantity} left` : "sold out";
    return row;
  }));
});

menu.status.subscribe(({ state, reason }) => {
  status.textContent = state === "offline" ? `Not up to date: ${reason}` : "";
});
