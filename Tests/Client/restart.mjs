// Writes wait while the server cannot be reached, and are sent once when it can; the status says so.
import { check, cuttingProxy, load, shows } from "./support.mjs";

const { connect } = await load();
const proxy = await cuttingProxy(process.argv[2]), menu = connect(proxy.url), states = [];
menu.status.subscribe(({ state }) => { if (states.at(-1) !== state) states.push(state); });
const name = menu.at("/pinnedDish/name");
await shows(name, (value) => value !== undefined);
name.subscribe(() => {});
proxy.probability = 1;
proxy.cut();
const first = name.set("Offline");
check(name.value === "Offline", "a write is visible without a connection");
await shows(menu.status, ({ state }) => state === "offline");
check(name.snapshot.write === "pending" && menu.status.value.retryAt > new Date(), "a write waits", name.snapshot);
const other = await fetch(new URL("state/pinnedDish/name", process.argv[2]), {
  method: "PATCH", body: JSON.stringify("Other"), headers: { "Content-Type": "application/json" },
});
check(other.ok, "another client writes");
const late = menu.at("/pinnedDish/isFavorite").set(true);
proxy.probability = 0;
check((await late).ok === true, "a later write is sent");
check((await first).ok === "Offline" || (await first).problem.kind === "conflict", "an outcome", await first);
await shows(menu.status, ({ state, pending }) => state === "live" && pending === 0);
check(states.includes("offline") && states.at(-1) === "live", "the status", states);
process.exit(0);
