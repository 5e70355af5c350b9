// Reads, optimistic writes, refusals, conflicts, appending, removing, patches, history and integers.
import { check, dish, load, quantityPath, shows } from "./support.mjs";

const { connect } = await load();
const menu = connect(process.argv[2]);
const name = menu.at(`/dishes/${dish}/name`), dishes = menu.at("/dishes");
check(menu.at("/dishes").at(dish).at("name") === name, "the same path has the same binding");
const seen = [];
name.subscribe((value) => seen.push(value));
await shows(dishes, (value) => value?.length === 4);
const stop = dishes.subscribe(() => {});
const before = name.value;

const written = name.set("Soup");
check(name.value === "Soup" && dishes.value[0].name === "Soup", "a write is visible at once", name.value, dishes.value);
check(menu.status.value.pending === 1, "a write is pending");
check((await written).ok === "Soup" && name.snapshot.confirmed === "Soup", "a write is confirmed");

const refused = await name.set("");
check(refused.problem.kind === "refused" && refused.problem.status === 422 && refused.problem.value === "", "refused", refused);
check(name.value === "Soup" && name.snapshot.write === "refused", "a refused write disappears", name.snapshot);
check(!seen.slice(2).includes(before), "no older value is shown", seen);

const conflict = await name.set("Stew", { ifMatch: "x".repeat(22) });
check(conflict.problem.kind === "conflict" && conflict.problem.current === "Soup", "a conflict has the value", conflict);
const again = await name.set("Soup", { ifMatch: conflict.problem.currentETag });
check(again.ok === "Soup", "the ETag of a conflict is a condition", again);
let mistake;
try { menu.at("time"); } catch (error) { mistake = error; }
check(mistake instanceof TypeError && mistake.message.includes("/time"), "a path begins with a slash", mistake);
const root = menu.at(""), empty = root.at("");
check(menu.at("/") === root && empty !== root, "an empty key is not the root");
await shows(empty, () => empty.status === "absent");
check((await empty.set({ time: "tonight" })).problem?.kind === "absent", "a write to an empty key is refused");
const absent = await menu.at("/time/custom").set("2027-01-01T00:00:00.000Z");
check(absent.problem.kind === "absent", "set does not create", absent);
check((await menu.at("/time/custom").set("2027-01-01T00:00:00.000Z", { create: true })).ok, "create switches the case");

const added = dishes.append({ name: "Salad" });
check(dishes.value.at(-1).name === "Salad", "a new element is visible at once");
const { ok: element } = await added;
check(element.id === dishes.value.at(-1).id && element.status, "a new element keeps its id", element);
const gone = menu.at(`/dishes/${element.id}`);
await shows(gone, (value) => value);
const removed = gone.remove();
check(dishes.value.length === 4, "a removed element disappears at once");
check((await menu.at("/editing").remove()).ok === undefined, "a removal has no value");
check(!(await removed).problem && gone.status === "absent" && gone.snapshot.absent.reason === "no-such-element", "absent");

const shallow = menu.at("/dishes").shallow, size = await shows(shallow, (value) => value);
check(size.count === 4 && size.etag === dishes.snapshot.etag && !shallow.set, "the size of a list", size);
const days = menu.at("/days").shallow, { count } = await shows(days, (value) => value);
check(count === (await shows(menu.at("/days"), (value) => value)).length, "a list is sent when it is needed", count);

const quantity = menu.at(quantityPath), start = await shows(quantity, (value) => value !== undefined);
const results = await Promise.all(Array.from({ length: 50 }, () => quantity.update((value) => value + 1)));
check(results.every(({ ok }) => ok === start + 50), "updates of one task are composed", results);
const failed = await quantity.update(() => { throw new Error("no"); });
check(failed.problem.kind === "conflict" && quantity.value === start + 50, "a function that throws changes nothing");
check((await quantity.update(() => undefined)).ok === start + 50, "a function that returns nothing cancels");
await quantity.set(9007199254740993n);
check(quantity.value === 9007199254740993n, "integers are exact", String(quantity.value));

const receipt = await menu.commit([{ op: "replace", path: `/dishes/${dish}/name`, value: "A" }]);
check(receipt.ok.changed, "a patch is applied", receipt);
await shows(name, (value) => value === "A");
await shows(shallow, ({ etag }) => etag !== size.etag);
const revisions = [];
for await (const revision of menu.history({ limit: 3 })) revisions.push(revision.revision);
check(revisions.length === 3, "the history is read", revisions);
check((await menu.revert(receipt.ok.revision)).ok.changed, "a revision is undone");
await shows(name, (value) => value === "Soup");
for await (const value of menu.at("/selectedDayLabel")) {
  check(value === "Today", "an async iteration has the value");
  break;
}
stop();
menu.close();
check((await name.set("B")).problem.kind === "offline", "a closed client refuses writes");
process.exit(0);
