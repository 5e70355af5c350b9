// Values belong to the client: what a caller changes in one is not confirmed. And what a failed or slow request delays.
import { check, dish, load, shows } from "./support.mjs";

const { connect } = await load(), address = process.argv[2];
const menu = connect(address), first = menu.at(`/dishes/${dish}`);
const before = (await shows(first, (value) => value)).name;

const own = first.value;
own.name = "";
check((await first.set(own)).problem?.status === 422, "an invalid value is refused");
check(first.value.name === before && first.snapshot.confirmed.name === before, "it is taken back", first.snapshot);
const mistake = await first.update((value) => { value.name = ""; return value; });
check(mistake.problem?.status === 422 && first.value.name === before, "also a value that a function changed", first.value);
const kept = { ...first.value, name: "Soup" }, set = first.set(kept);
kept.name = "Salad";
check((await set).ok.name === "Soup" && first.value.name === "Soup", "a later change by the caller is not written");
kept.name = "Stew";
check(first.value.name === "Soup", "nor is it shown", first.value);

const promised = await first.update(async (value) => value);
check(promised.problem?.kind === "conflict" && first.value.name === "Soup", "a promise is no value", promised);
check((await menu.at("/editing").set(null)).ok === null, "null is a value");

// A place that appears later is read again.
const missing = menu.at("/editing/some");
check((await missing.update(() => null)).problem?.kind === "absent", "there is nothing to update", missing.snapshot);
await fetch(`${address}state/editing`, {
  method: "PUT", body: '{"some":{"name":"Tea"}}', headers: { "Content-Type": "application/json" },
});
check((await missing.update((value) => ({ ...value, name: "Milk" }))).ok?.name === "Milk", "it is found", missing.snapshot);

// A value that does not fit into an event, whose first request fails.
let failures = 0;
const large = connect(address, { async fetch(url, options) {
  if (/state\/time/.test(url) && failures++ < 1) return new Response("", { status: 503 });
  const response = await fetch(url, options);
  if (!String(url).endsWith("events")) return response;
  const cut = new TransformStream({ transform(chunk, controller) {
    const text = new TextDecoder().decode(chunk).replace(/"value":"(tonight|tomorrow)"/, '"large":true');
    controller.enqueue(new TextEncoder().encode(text));
  } });
  return new Response(response.body.pipeThrough(cut), response);
} });
check(await shows(large.at("/time"), (value) => value !== undefined) && failures === 2, "it is requested again", failures);

// Places that are added while the stream opens do not begin again.
const aborted = [];
const slow = connect(address, { async fetch(url, options) {
  if (String(url).endsWith("events")) {
    await new Promise((resolve) => { setTimeout(resolve, 100); });
    aborted.push(options.signal.aborted);
  }
  return fetch(url, options);
} });
const paths = ["/time", "/pinnedID", "/editing", "/today"].map((path) => slow.at(path));
for (const [index, binding] of paths.entries()) setTimeout(() => binding.subscribe(() => {}), index * 40);
await shows(slow.at("/today"), (value) => value);
check(!aborted.includes(true), "no stream is given up before it opens", aborted);
process.exit(0);
