// What the scripts of ClientTests share: a check, a wait for a condition, and a proxy that cuts connections.
import net from "node:net";
import { webcrypto } from "node:crypto";

globalThis.crypto ??= webcrypto;

export const dish = "b10de400-0000-8000-8000-000000000001";
export const quantityPath = `/dishes/${dish}/status/inStock/quantity`;

export function check(condition, message, ...values) {
  if (condition) return;
  console.error(message, ...values.map((value) => JSON.stringify(value)));
  process.exit(1);
}

/** Returns when a binding shows something that fulfils a condition. */
export function shows(binding, condition) {
  return new Promise((resolve) => {
    const stop = binding.subscribe((value) => {
      if (!condition(value)) return;
      queueMicrotask(() => stop());
      resolve(value);
    });
  });
}

let watchdog;

/** Sets the minutes after which the script fails instead of waiting forever. */
export function limit(minutes) {
  clearTimeout(watchdog);
  watchdog = setTimeout(() => check(false, `the script has not ended within ${minutes} minutes`), minutes * 60_000);
  watchdog.unref();
}
limit(10);

/** Forwards connections, and cuts each at any byte with a probability per read. */
export async function cuttingProxy(target) {
  const upstream = new URL(target), connections = new Set();
  const proxy = { probability: 0, opened: 0, requests: "" };
  const server = net.createServer((client) => {
    const remote = net.connect(Number(upstream.port), upstream.hostname);
    const end = () => { connections.delete(end); client.destroy(); remote.destroy(); };
    connections.add(end);
    proxy.opened += 1;
    for (const [from, to] of [[client, remote], [remote, client]]) {
      from.on("data", (data) => {
        if (from === client) proxy.requests += data.toString("latin1");
        if (Math.random() >= proxy.probability) return to.write(data);
        to.write(data.subarray(0, Math.floor(Math.random() * (data.length + 1))), () => end());
      });
      from.on("close", end);
      from.on("error", end);
    }
  });
  await new Promise((resolve) => { server.listen(0, "127.0.0.1", resolve); });
  server.unref();
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${server.address().port}/`,
    cut() { for (const end of [...connections]) end(); },
  });
}

/** The client as the server sends it. */
export async function load(url = process.argv[2]) {
  const [name] = (await (await fetch(`${url}client.js`)).text()).match(/client-\w+\.js/);
  const source = Buffer.from(await (await fetch(url + name)).arrayBuffer());
  return import(`data:text/javascript;base64,${source.toString("base64")}`);
}
