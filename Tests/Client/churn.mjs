// Components that come and go, and values that change, leave nothing in memory. Run with --expose-gc.
//
//   churn.mjs ADDRESS [MINUTES]
//
// Without MINUTES, 100,000 components come and go as fast as they can; else 1,000 each second.
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { writeHeapSnapshot } from "node:v8";
import { check, dish, limit, load, shows } from "./support.mjs";

const { setTimeout: later } = globalThis, lingerTime = 30_000;
globalThis.setTimeout = (run, time, ...rest) => later(run, time === lingerTime ? 100 : time, ...rest);
const { connect } = await load();
const [, , address, minutes] = process.argv, menu = connect(address);
limit(2 * Number(minutes ?? 0) + 10);
const name = menu.at(`/dishes/${dish}/name`), dishes = menu.at("/dishes");
dishes.subscribe(() => {});
let seen = 0, mounts = 0;
(async () => { for await (const value of name) seen += value ? 1 : 0; })();
await shows(dishes, (value) => value?.length === 4);

async function churn(rounds) {
  for (const end = mounts + rounds; mounts < end; mounts += 1) {
    const place = menu.at("/dishes").at(`${dish.slice(0, -6)}${String(mounts % 1_000_000).padStart(6, "0")}`);
    const stops = [place, place.shallow, menu.at("/time"), menu.status].map((one) => one.subscribe(() => {}));
    for (const stop of stops) stop();
    if (mounts % 50 === 0) check(!(await name.set(`Soup ${mounts}`)).problem, "a write is refused");
    if (mounts % 500 === 0) for await (const value of menu.at("/time")) if (value) break;
    if (minutes && mounts % 1_000 === 0) await new Promise((resolve) => { later(resolve, 1_000); });
  }
  await new Promise((resolve) => { later(resolve, 1_000); });
  globalThis.gc();
  const heap = process.memoryUsage().heapUsed;
  return { heap, file: writeHeapSnapshot(`${tmpdir()}/bindery-${process.pid}-${mounts}.heapsnapshot`) };
}

/** Returns the number of objects of each kind in a heap snapshot, and their bytes. Removes the file. */
function kinds(file) {
  const { snapshot: { meta }, nodes, strings } = JSON.parse(readFileSync(file));
  rmSync(file);
  const found = new Map();
  for (let at = 0; at < nodes.length; at += meta.node_fields.length) {
    const type = meta.node_types[0][nodes[at]];
    const kind = type === "string" || type === "number" ? type : `${type} ${strings[nodes[at + 1]]}`;
    const [count, bytes] = found.get(kind) ?? [0, 0];
    found.set(kind, [count + 1, bytes + nodes[at + 3]]);
  }
  return found;
}

const rounds = minutes ? minutes * 60_000 : 100_000;
rmSync((await churn(rounds / 5)).file);
const before = await churn(rounds / 5), after = await churn(rounds * 3 / 5), old = kinds(before.file);
const growth = [...kinds(after.file)].map(([kind, [count, bytes]]) => {
  const [oldCount, oldBytes] = old.get(kind) ?? [0, 0];
  return [bytes - oldBytes, `${count - oldCount} × ${kind.slice(0, 60)}`];
}).sort(([left], [right]) => right - left).slice(0, 5).map(([bytes, text]) => `${bytes} bytes: ${text}`);
check(after.heap - before.heap < 1_048_576, "the heap has grown", before.heap, after.heap, ...growth);
console.log(`client: the heap has ${Math.round((after.heap - before.heap) / 1024)} KiB more after ${rounds * 3 / 5} mounts; `
  + `${seen} changes. What has grown most:\n  ${growth.join("\n  ")}`);
process.exit(0);
