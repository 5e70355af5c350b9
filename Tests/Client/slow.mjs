// Responses that come after the event of their write, queued writes and their conditions, and what is refused at once.
import { check, dish, load, quantityPath, shows } from "./support.mjs";

const { connect } = await load(), address = process.argv[2];
const pause = (time) => new Promise((resolve) => { setTimeout(resolve, time); });
const slow = connect(address, { async fetch(url, options) {
  const response = await fetch(url, options);
  if (/PUT|PATCH|DELETE/.test(options.method)) await pause(150);
  return response;
} });
const put = (path, value, headers) => fetch(`${address}state${path}`, {
  method: "PUT", body: JSON.stringify(value), headers: { "Content-Type": "application/json", ...headers },
});

const quantity = slow.at(quantityPath), seen = [];
quantity.subscribe((value) => value !== seen.at(-1) && seen.push(value));
const start = await shows(quantity, (value) => value !== undefined);
for (let round = 0; round < 5; round += 1) await quantity.update((value) => value + 1);
const numbers = seen.filter((value) => value !== undefined);
check(numbers.every((value, index) => value === start + index), "values never go back or ahead", seen);

const dishes = slow.at("/dishes"), lengths = [];
dishes.subscribe((list) => list && lengths.push(list.length));
await shows(dishes, (list) => list);
await dishes.append({ name: "Salad" });
check(Math.max(...lengths) === lengths[0] + 1, "a new element is shown once", lengths);

// A condition of the user stays, whatever is written before it.
const name = slow.at(`/dishes/${dish}/name`);
await shows(name, (value) => value);
const first = slow.commit([{ op: "replace", path: "/time", value: "tomorrow" }]);
const refused = await name.set("Mine", { ifMatch: "x".repeat(22) });
check(refused.problem?.kind === "conflict" && (await first).ok, "a condition is kept", refused);

// Offline, writes apply to what the user has seen, also after other writes.
let isCut = false;
const client = connect(address, { fetch(url, options) {
  return isCut ? Promise.reject(new TypeError("cut")) : fetch(url, options);
} });
const mine = client.at(`/dishes/${dish}/name`), time = client.at("/time");
await shows(mine, (value) => value);
await shows(time, (value) => value);
await shows(client.status, ({ state }) => state === "live");
isCut = true;
const blocked = time.set("tonight");
await shows(client.status, ({ state }) => state === "offline");
const [one, two] = [mine.set("One"), client.commit([{ op: "test", path: "/time", value: "tonight" }])];
const overwritten = mine.set("Two");
const dates = [time.set({ custom: "2026-12-25T19:00:00Z" }), client.commit([]),
  time.set({ custom: "2026-12-26T19:00:00Z" })];
check(mine.value === "Two", "writes without a connection are visible", mine.value);
await put(`/dishes/${dish}/name`, "Theirs");
isCut = false;
check((await blocked).ok && (await two).ok, "the other writes are sent");
check((await one).problem?.kind === "conflict", "what others wrote is not overwritten", await one);
check((await overwritten).problem?.kind === "conflict", "also after another write", await overwritten);
check(await (await fetch(`${address}state/dishes/${dish}/name`)).json() === "Theirs", "it is kept");
const [, , date] = await Promise.all(dates);
isCut = true;
const patched = client.commit([{ op: "replace", path: `/dishes/${dish}/name`, value: "Patched" }]);
await shows(client.status, ({ state }) => state === "offline");
const after = mine.set("After");
isCut = false;
check((await patched).ok && (await after).ok === "After", "an own patch before it is no conflict", await after);
check(date.ok?.custom === "2026-12-26T19:00:00.000Z", "the server's form of an own value is no conflict", date);

// A listener that writes, while others wait for the value before.
const shown = [];
const stops = [mine.subscribe((value) => { if (value === "Fifty") mine.set("Ten"); }),
  mine.subscribe((value) => shown.push(value))];
await mine.set("Fifty");
await shows(mine, (value) => value === "Ten" && mine.snapshot.write === "confirmed");
check(shown.at(-1) === "Ten" && shown.lastIndexOf("Fifty") < shown.indexOf("Ten"), "no listener ends with an old value",
  shown);
for (const stop of stops) stop();

// Values that are not JSON, and keys that a URL cannot contain, are refused at once.
const circle = {};
circle.circle = circle;
for (const value of [circle, NaN]) {
  const result = await name.set(value);
  check(result.problem?.kind === "refused", "it is refused", result);
}
const outside = await slow.at("/dishes").at("..").at("time").set("tonight");
check(outside.problem?.kind === "refused", "a path leads to no other place", outside);
check((await name.set("Soup")).ok === "Soup", "later writes are sent");

// A server that does not know the paths of the client is asked again after a while.
let requests = 0;
const lost = connect(`${address}wrong/`, { fetch(url, options) {
  requests += 1;
  return fetch(url, options);
} });
lost.at("/time").subscribe(() => {});
const { reason } = await shows(lost.status, ({ state }) => state === "offline");
check(requests <= 3 && reason, "requests are repeated after a while", requests, reason);

// An update that has to read first waits for a server that is busy.
let busy = 2;
const patient = connect(address, { fetch(url, options) {
  if (options.method === "GET" && busy-- > 0) {
    return Promise.resolve(new Response("{}", { status: 503, headers: { "Retry-After": "0.01" } }));
  }
  return fetch(url, options);
} });
const updated = await patient.at(quantityPath).update((value) => value + 1);
check(updated.ok === start + 6, "an update waits", updated);
for (const one of [slow, client, lost, patient]) one.close();
process.exit(0);
