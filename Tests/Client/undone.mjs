// A write that another client undoes before the stream shows it: the binding converges to what the server has.
import { check, cuttingProxy, load, shows } from "./support.mjs";

const { connect } = await load();
const proxy = await cuttingProxy(process.argv[2]), menu = connect(proxy.url), other = connect(process.argv[2]);
const time = menu.at("/time"), first = await shows(time, (value) => value !== undefined);
time.subscribe(() => {});
for (let round = 0; round < 20; round += 1) {
  const value = round % 2 ? "tomorrow" : "tonight";
  await Promise.all([time.set(value), other.at("/time").set(first)]);
  const response = await fetch(new URL("state/time", process.argv[2])), now = await response.json();
  await shows(time, (shown) => shown === now && time.snapshot.confirmed === now);
}
check(time.snapshot.write === "confirmed", "the last write is confirmed", time.snapshot);
process.exit(0);
