import { connect } from "./client.js";
import type { State } from "./model";
const menu = connect<State>();
const id = "b10de400-0000-8000-8000-000000000001";
menu.at("/pinnedDish/name").set("Soup");
menu.at("/pinnedDish/name").subscribe((name: string | undefined) => name?.length);
menu.at(`/dishes/${id}/status`).set({ inStock: { quantity: 3 } });
menu.at(`/dishes/${id}/status/inStock/quantity`).update((n) => Number(n) + 1);
menu.at(`/dishes/${id}/status/outOfStock/isOnBackOrder`).set(true, { create: true });
menu.at("/dishes").append({ name: "Soup" });
menu.at("/dishes").subscribe((dishes) => dishes?.map((dish) => dish.name.length));
menu.at("/dishes").at(id).at("name").set("A");
menu.at("/dishes").shallow.subscribe((size) => size?.count.toFixed());
const dish = menu.at("/pinnedDish").value;
if (dish) menu.at("/dishes").at(dish.id).remove();
menu.at("/time").set("tonight");
menu.at("/time").set({ custom: "2027-01-01T00:00:00.000Z" });
menu.at("/editing").set(null); menu.at("/editing").set({ some: null });
menu.at("/pinnedID").set(null);
menu.at("/selectedDayLabel").subscribe((label: string | undefined) => label);
const time = menu.at("/time").value;
if (typeof time === "object") time.custom.length;
async function write() {
  const { ok, problem } = await menu.at("/pinnedDish/name").set("B");
  if (problem) problem.kind; else ok.length;
  for await (const time of menu.at("/time")) time;
}
connect().at("/anything/goes").set(1);
