import { connect } from "./client.js";
import type { State } from "./model";
const menu = connect<State>();
const dish = menu.at("/dishes/b10de400-0000-8000-8000-000000000001");
dish.at("name").set("Soup");
menu.at("/pinnedDish/status").set({ outOfStock: { isOnBackOrder: true } });
menu.at("/dishes").append({ name: "Soup" });
menu.at("/editing").set({ some: null });
// @ts-expect-error: the model has no such member
dish.at("price");
// @ts-expect-error: a name is a text
dish.at("name").set(1);
// @ts-expect-error: favorites are computed
menu.at("/favorites").set([]);
// @ts-expect-error: an id does not change
dish.at("id").set("x");
// @ts-expect-error: the enum has no such case
menu.at("/time").set("today");
