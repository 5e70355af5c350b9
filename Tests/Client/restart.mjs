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

// A server that refuses writes for a while with 503 says when to send them again.
let refusals = 2;
const full = () => new Response(`{"detail":"The disk is full"}`, { status: 503, headers: { "Retry-After": "1" } });
const keys = new Set(), patient = connect(process.argv[2], { fetch(url, options) {
  if (options.method === "PUT") keys.add(options.headers["Idempotency-Key"]);
  return options.method === "PUT" && refusals-- > 0 ? Promise.resolve(full()) : fetch(url, options);
} });
const title = patient.at("/pinnedDish/name"), reasons = [];
await shows(title, (value) => value !== undefined);
patient.status.subscribe(({ reason }) => { if (reason) reasons.push(reason); });
check((await title.set("Risotto")).ok === "Risotto" && keys.size === 1, "a write is repeated with its key", [...keys]);
check(reasons.includes("The disk is full"), "the status has the reason", reasons);
await shows(patient.status, ({ state }) => state === "live");
process.exit(0);
