// A component that comes and goes 1,000 times is not sent again what the client has, and shows changes after it was away for
// so long that its place was forgotten.
import { check, cuttingProxy, load, shows } from "./support.mjs";

const { setTimeout: later } = globalThis, lingerTime = 30_000;
let linger = lingerTime;
globalThis.setTimeout = (run, time, ...rest) => later(run, time === lingerTime ? linger : time, ...rest);
const { connect } = await load();
const proxy = await cuttingProxy(process.argv[2]), menu = connect(proxy.url), name = menu.at("/pinnedDish/name");
await shows(name, (value) => value !== undefined);
for (let round = 0; round < 1_000; round += 1) {
  const stop = name.subscribe((value) => check(value !== undefined, "the value is gone"));
  stop();
  if (round % 100 === 0) await new Promise((resolve) => { setTimeout(resolve, 30); });
}
const { value } = name;
const label = await shows(menu.at("/selectedDayLabel"), (shown) => shown !== undefined);
check(label === "Today" && name.value === value, "values have their identity");
const streams = proxy.requests.split("POST /events").slice(1);
check(streams.length <= 2, "streams were opened again", streams.length);
check(streams.at(-1).includes(`{"path":"/pinnedDish/name","have":"`), "a new stream names what is known", streams.at(-1));
linger = 0;
const time = menu.at("/time");
await shows(time, (shown) => shown !== undefined);
await new Promise((resolve) => { later(resolve, 5); });
const again = menu.at("/time");
check(again !== time, "a place that is not used is forgotten");
again.subscribe(() => {});
await Promise.all([again, time].map((binding) => shows(binding, (shown) => shown !== undefined)));
const written = await menu.at("/time").set("tomorrow");
check(written.ok === "tomorrow" && time.value === "tomorrow" && again.value === "tomorrow", "old bindings follow", time.value);
process.exit(0);
