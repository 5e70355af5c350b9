// Three clients increment one number while connections are cut at any byte: each write takes effect once, and no client
// shows a number that is lower than one that the server has confirmed to it. Between them, writes are refused, and have a
// condition that is not met.
import { check, cuttingProxy, dish, load, quantityPath, shows } from "./support.mjs";

const { connect } = await load();
const count = Number(process.argv[3] ?? 150), proxy = await cuttingProxy(process.argv[2]);
const clients = [0, 1, 2].map(() => connect(proxy.url));
const bindings = clients.map((client) => client.at(quantityPath));
const start = await shows(bindings[0], (value) => value !== undefined);
bindings.forEach((binding) => {
  let confirmed = 0;
  binding.subscribe((value) => {
    const latest = binding.snapshot.confirmed ?? confirmed;
    check(latest >= confirmed, "a confirmed number is followed by a lower one", confirmed, latest);
    confirmed = latest;
    check(value === undefined || value >= confirmed, "a number is lower than a confirmed one", confirmed, value);
  });
});
await Promise.all(bindings.map((binding) => shows(binding, (value) => value !== undefined)));
proxy.probability = 0.02;
let added = 0;
await Promise.all(clients.map(async (client, index) => {
  const waiting = [];
  for (let number = 0; number < count; number += 1) {
    const kind = { 7: "refused", 13: "conflict" }[number % 20], name = client.at(`/dishes/${dish}/name`);
    const write = kind === "refused" ? name.set("") : kind ? name.set("Soup", { ifMatch: "x".repeat(22) })
      : bindings[index].update((value) => value + 1);
    waiting.push(write.then(({ problem }) => {
      // After five attempts against the other clients, an update is a conflict.
      check(problem?.kind === (kind ?? (problem && "conflict")), "a wrong outcome", problem);
      if (!problem) added += 1;
    }));
    if (number % 10 === 0) await Promise.all(waiting.splice(0));
    if (number % 50 === 25) proxy.cut();
  }
  await Promise.all(waiting);
}));
proxy.probability = 0;
await Promise.all(bindings.map((binding) => shows(binding, (value) => value === start + added)));
const response = await fetch(new URL(`state${quantityPath}`, process.argv[2]));
check(Number(await response.text()) === start + added, "the server has another number");
console.log(`client: ${added} increments of three clients took effect once each, over ${proxy.opened} connections`);
process.exit(0);
