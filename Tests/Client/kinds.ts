import { connect } from "./client.js";
import type { State } from "./model";
const kinds = connect<State>();
const task = "6f1c0000-0000-8000-8000-000000000001";
kinds.at("/count").update((count) => Number(count) + 1);
kinds.at("/large").set(9007199254740993n);
kinds.at("/ratio").set(0.5);
kinds.at("/size").set("large");
kinds.at("/light").set("on");
kinds.at("/light").set({ scene: { name: "Dinner", isWarm: true } });
kinds.at("/light/dimmed").set(10, { create: true });
kinds.at("/light/scene/name").set("Dinner");
kinds.at("/nickname").set(null);
kinds.at("/address").set({ street: "Dock 1", city: "Kiel" });
kinds.at("/address/city").set("Bonn");
kinds.at("/sheet").set({ some: null });
kinds.at("/sheet").set(null);
kinds.at("/sheet/some").set(3);
kinds.at("/tasks").append({ title: "Rest" });
kinds.at(`/tasks/${task}/isDone`).set(true);
kinds.at("/notes").append({ body: "A" });
kinds.at("/limits").at("a/b").set(2);
kinds.at("/limits").set({ a: 1 });
kinds.at("/limits").update((limits) => ({ ...limits, b: 2 }));
kinds.at("/offices/north/city").set("Kiel");
kinds.at("/offices").set({ north: { street: "Dock 1", city: "Kiel" } });
kinds.at("/scores").set([1, 2]);
kinds.at("/tags").set(["a"]);
kinds.at("/anything").set({ free: [1, null] });
kinds.at("/taskCount").subscribe((count) => Number(count));
kinds.at("/settings/deep/deeper/deepest/isHere").set(false);
kinds.at("").at("a/b~c d%").set(true);
kinds.at("/__proto__").set(2);
kinds.at("").at("</script>").set("x");
connect().at("/any/place").append({ x: 1 });
// @ts-expect-error: a number is not a text
kinds.at("/count").set("3");
// @ts-expect-error: an integer is not null
kinds.at("/count").set(null);
// @ts-expect-error: a decimal number has no bigint
kinds.at("/ratio").set(1n);
// @ts-expect-error: the enum has no such case
kinds.at("/size").set("huge");
// @ts-expect-error: a case with a payload is an object
kinds.at("/light").set("dimmed");
// @ts-expect-error: a case has all members of its payload
kinds.at("/light").set({ scene: { name: "Dinner" } });
// @ts-expect-error: a value has one case
kinds.at("/light").set({ dimmed: 1, scene: 2 });
// @ts-expect-error: a case without a payload is no place
kinds.at("/light/off");
// @ts-expect-error: the payload is a number
kinds.at("/light/dimmed/level");
// @ts-expect-error: an object has all members
kinds.at("/address").set({ street: "Dock 1" });
// @ts-expect-error: an object has no other members
kinds.at("/house").set({ street: "A", city: "B", zip: "C" });
// @ts-expect-error: the value of an optional of an optional is in `some`
kinds.at("/sheet").set(3);
// @ts-expect-error: an element has an id and a title
kinds.at("/tasks").append({ isDone: true });
// @ts-expect-error: a new element has no other members
kinds.at("/tasks").append({ title: "A", due: "B" });
// @ts-expect-error: an id does not change
kinds.at(`/tasks/${task}/id`).set("x");
// @ts-expect-error: the server generates this id
kinds.at("/notes/1/id").update((id) => id);
// @ts-expect-error: an element has no such member
kinds.at(`/tasks/${task}/name`);
// @ts-expect-error: a dictionary has values of one type
kinds.at("/limits").set({ a: "1" });
// @ts-expect-error: a dictionary has no elements to append
kinds.at("/limits").append(1);
// @ts-expect-error: the elements of an array are no places
kinds.at("/scores/0");
// @ts-expect-error: an array is not a list with ids
kinds.at("/scores").append(1);
// @ts-expect-error: the array has texts
kinds.at("/tags").set([1]);
// @ts-expect-error: the member is read-only
kinds.at("/serial").set("B-1");
// @ts-expect-error: the member is computed
kinds.at("/taskCount").set(1);
// @ts-expect-error: a computed member is not removed
kinds.at("/lightText").remove();
// @ts-expect-error: a value may be missing
kinds.at("/text").subscribe((text: string) => text);
// @ts-expect-error: the state has no such member
kinds.at("/settings/deep/deeper/deepest/isThere");
