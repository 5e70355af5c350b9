// Responses that are late, lost, or not from the server, and changes of the history at any moment.
import { check, dish, load, quantityPath, shows } from "./support.mjs";

// Two servers with other histories: a client that is sent to the other one sees what it sees after a restore.
const [, , address, other] = process.argv, { connect } = await load();
const pause = (time) => new Promise((resolve) => { setTimeout(resolve, time); });
const put = (path, value, server = address) => fetch(`${server}state${path}`, {
  method: "PUT", body: JSON.stringify(value), headers: { "Content-Type": "application/json" },
});
const answer = (status, fields) => new Response("{}", { status, headers: fields });

/** Opens a client whose requests a function may answer, delay or change. */
function faulty(fault, options) {
  const send = (url, request) => fetch(url, request);
  return connect(address, { ...options, fetch: async (url, request) =>
    (await fault(new URL(url), request, send)) ?? send(url, request) });
}

const numbers = (list) => list.filter((value) => value !== undefined);
const isWrite = (request, method = "PUT") => request.method === method;

{
  // The value of a place that nobody watches is not shown in a place that somebody watches.
  const client = connect(address), whole = client.at(`/dishes/${dish}`), seen = [];
  const quantity = client.at(quantityPath);
  quantity.subscribe((value) => seen.push(value));
  const toggle = () => whole.update((value) => ({ ...value, isFavorite: !value.isFavorite }));
  await shows(quantity, (value) => value !== undefined);
  await toggle();
  for (let number = 2; number <= 5; number += 1) await put(quantityPath, number);
  await shows(quantity, (value) => value === 5);
  await toggle();
  check(numbers(seen).every((value, index, list) => !(value < list[index - 1])), "no value goes back", seen);
  client.close();
  // A client that is closed sends nothing.
  let requests = 0;
  const closed = faulty(() => { requests += 1; });
  closed.close();
  closed.at("/time").subscribe(() => {});
  await pause(100);
  check(requests === 0, "a closed client sends nothing", requests);
}
{
  // What another client wrote while a response was lost is not overwritten.
  let lost = 0;
  const client = faulty(async (url, request, send) => {
    if (!isWrite(request) || lost > 1) return undefined;
    if (lost++ === 0) await send(url, request);
    throw new TypeError("cut");
  });
  const quantity = client.at(quantityPath);
  await shows(quantity, (value) => value === 5);
  const first = quantity.set(11);
  await shows(client.status, ({ state }) => state === "offline");
  const second = quantity.set(12);
  await put(quantityPath, 500);
  check((await first).ok === 11, "the first write was stored", await first);
  check((await second).problem?.kind === "conflict", "the second one did not see the value of others", await second);
  check(await (await fetch(`${address}state${quantityPath}`)).json() === 500, "the value of others is kept");
  client.close();
}
{
  // The page of a network that asks for a login is no response.
  let pages = 0;
  const client = faulty((url, request) => (isWrite(request) && pages++ === 0 ? new Response("<p>Log in") : undefined));
  check((await client.at("/time").set("tomorrow")).ok === "tomorrow", "a write is sent again after such a page");
  check(pages === 2, "it is sent twice", pages);
  client.close();
}
{
  // A 401 for a token that was replaced meanwhile. The server has no tokens, so this script refuses one.
  let refuse;
  const client = faulty((url, { method, headers }) => {
    if (method !== "PUT" || headers.Authorization !== "Bearer old") return undefined;
    return new Promise((resolve) => { refuse = () => resolve(answer(401)); });
  }, { token: "old" });
  const written = client.at("/time").set("tonight");
  while (!refuse) await pause(1);
  check(!(await client.signIn("new")).problem, "the new token is valid");
  refuse();
  check((await written).ok === "tonight", "the write is sent with the new token", await written);

  // A write that was refused is not sent later.
  let sent = 0;
  const leaving = faulty((url, request) => {
    if (isWrite(request)) sent += 1;
    return isWrite(request) && sent === 1 ? answer(503, { "Retry-After": "0.2" }) : undefined;
  });
  const refused = leaving.at("/time").set("tomorrow");
  await shows(leaving.status, ({ state }) => state === "offline");
  await leaving.signOut();
  check((await refused).problem?.kind === "signedOut", "the write is refused", await refused);
  await pause(400);
  check(sent === 1, "it is not sent again", sent);
  client.close();
}
{
  // Between two streams, a value changes and changes back.
  let hold, isStalled = false, streams = 0;
  const client = faulty(async (url, request, send) => {
    if (!url.pathname.endsWith("/events")) return undefined;
    if (++streams === 2) await new Promise((resolve) => { hold = resolve; });
    const response = await send(url, request), isFirst = streams === 1;
    const flow = new TransformStream({ transform(part, to) { if (!isFirst || !isStalled) to.enqueue(part); } });
    return new Response(response.body.pipeThrough(flow), response);
  });
  const quantity = client.at(quantityPath);
  await shows(quantity, (value) => value === 500);
  quantity.subscribe(() => {});
  client.at("/time").subscribe(() => {});
  while (!hold) await pause(1);
  await put(quantityPath, 1);
  await shows(quantity, (value) => value === 1);
  isStalled = true;
  await put(quantityPath, 500);
  hold();
  await shows(quantity, (value) => value === 500);
  client.close();
}
{
  // The listeners of the status hear each change once, also if one of them writes.
  const client = connect(address), heard = [];
  let wrote = false;
  client.status.subscribe(({ pending }) => {
    if (pending !== 1 || wrote) return;
    wrote = true;
    client.at("/time").set("tomorrow");
  });
  client.status.subscribe(({ pending }) => heard.push(pending));
  await client.at(quantityPath).set(2);
  await shows(client.status, ({ pending }) => pending === 0);
  check(heard.every((value, index) => value !== heard[index - 1]), "no status is told twice", heard);
  client.close();
}
// The other server has few revisions, as after the start of a store in memory.
for (let number = 1; number <= 10; number += 1) await put(quantityPath, number);
for (const kind of ["PUT", "DELETE"]) {
  const created = "c0000000-0000-4000-8000-000000000001";
  for (const server of [address, other]) await put(`/dishes/${created}`, { name: "Soup" }, server);
  // The client is sent to the other server while a response of the first one is on its way.
  let isMoved = false, deliver;
  const streams = [];
  const client = faulty(async (url, request, send) => {
    const target = isMoved ? url.href.replace(address, other) : url.href;
    const response = await send(target, request);
    if (url.pathname.endsWith("/events")) {
      const end = new AbortController();
      streams.push(end);
      return new Response(response.body.pipeThrough(new TransformStream(), end), response);
    }
    if (isMoved || !isWrite(request, kind)) return response;
    isMoved = true;
    for (const end of streams) end.abort();
    if (kind === "DELETE") return response;
    const text = await response.text();
    response.text = () => new Promise((resolve) => { deliver = () => resolve(text); });
    return response;
  });
  const name = client.at(`/dishes/${created}/name`), dishes = client.at("/dishes");
  name.subscribe(() => {});
  await shows(dishes, (list) => list?.length);
  dishes.subscribe(() => {});
  if (kind === "PUT") {
    const written = name.set("Stew");
    await shows(name, () => isMoved);
    while (!deliver) await pause(1);
    await shows(client.status, ({ state }) => state === "live");
    await pause(200);
    deliver();
    await written;
    await put(`/dishes/${created}/name`, "Broth", other);
    await shows(name, (value) => value === "Broth");
  } else {
    await client.at(`/dishes/${created}`).remove();
    await shows(dishes, (list) => list?.some(({ id }) => id === created));
  }
  client.close();
}
process.exit(0);
