// A subscriber that throws disturbs nobody, a refused place is told again, and ids that differ only in case are different.
import { check, dish, load, shows } from "./support.mjs";

const { setTimeout: later } = globalThis, lingerTime = 30_000;
globalThis.setTimeout = (run, time, ...rest) => later(run, time === lingerTime ? 0 : time, ...rest);
const { connect } = await load();
const menu = connect(process.argv[2]), name = menu.at(`/dishes/${dish}/name`), time = menu.at("/time");
const errors = [];
process.on("unhandledRejection", (error) => errors.push(error.message));
await Promise.all([name, time].map((binding) => shows(binding, (value) => value !== undefined)));
let others = 0;
name.subscribe((value) => { if (value === "Soup") throw new Error("a mistake of the page"); });
time.subscribe(() => { others += 1; });
const statuses = [];
menu.status.subscribe(({ state }) => statuses.push(state));
check((await name.set("Soup")).ok === "Soup", "the write is sent");
check((await time.set("tomorrow")).ok === "tomorrow" && menu.status.value.pending === 0, "the next write is sent");
check(others > 1 && statuses.every((state) => state === "live"), "the stream stays open", others, statuses);
check(errors.length > 0 && errors.every((error) => error === "a mistake of the page"), "the mistake is reported", errors);

for (let round = 0; round < 2; round += 1) {
  const unknown = menu.at("/nope"), stop = unknown.subscribe(() => {});
  await new Promise((resolve) => { const check = () => unknown.status === "loading" ? later(check, 5) : resolve(); check(); });
  stop();
  await new Promise((resolve) => { later(resolve, 50); });
  check(menu.at("/nope") !== unknown, "the place is forgotten");
}

const list = menu.at("/dishes");
await shows(list, (value) => value?.length === 4);
check(list.at(dish.toUpperCase()).value?.name === list.at(dish).value?.name, "the case of a UUID does not matter");
process.exit(0);
