// Places that a write removes without a connection, and places that the server refuses to watch.
import { check, dish, load, shows } from "./support.mjs";

const { connect } = await load(), address = process.argv[2];
const problem = (status, members) => new Response(JSON.stringify(members), { status });

{
  // What a write makes absent is absent at once.
  let isCut = false;
  const client = connect(address, { fetch(url, options) {
    return isCut ? Promise.reject(new TypeError("cut")) : fetch(url, options);
  } });
  const put = (path, value) => client.at(path).set(value, { create: true });
  await put("/time", { custom: "2026-12-25T19:00:00.000Z" });
  await put("/editing", { some: { name: "Tea" } });
  const dishes = client.at("/dishes"), other = (await shows(dishes, (list) => list))[1].id;
  const removals = [
    [`/dishes/${dish}/name`, () => client.at(`/dishes/${dish}`).remove()],
    [`/dishes/${other}/name`, () => dishes.set(dishes.value.filter(({ id }) => id !== other))],
    ["/time/custom", () => client.at("/time").set("tonight")],
    ["/editing/some/name", () => client.at("/editing").set(null)],
  ];
  // Of all of these, values are known.
  const paths = removals.flatMap(([path]) => [path, path.slice(0, path.lastIndexOf("/"))])
    .concat("/editing", "/time", `/dishes/${other}/status`);
  for (const path of paths) {
    client.at(path).subscribe(() => {});
    await shows(client.at(path), (value) => value !== undefined);
  }
  dishes.subscribe(() => {});
  await shows(client.status, ({ state }) => state === "live");
  isCut = true;
  // The server adds a member that a value lacks.
  client.at(`/dishes/${other}`).set({ id: other, name: "Soup" });
  check(client.at(`/dishes/${other}/status`).status === "present", "it is not absent");
  for (const [path, remove] of removals) {
    remove();
    const { status, value, confirmed } = client.at(path).snapshot;
    check(status === "absent" && value === undefined && confirmed !== undefined, "it is absent", path, status, value);
  }
  client.close();
}
{
  // A problem with a place leaves the others alone.
  let streams = 0;
  const client = connect(address, { async fetch(url, options) {
    if (!String(url).endsWith("events")) return fetch(url, options);
    streams += 1;
    const { path } = JSON.parse(options.body).find(({ path }) => path === "/today") ?? {};
    return path ? problem(422, { type: "/problems/invalid-value", pointer: path }) : fetch(url, options);
  } });
  const refused = (binding) => new Promise((resolve) => {
    const stop = binding.subscribe(() => {}), test = () => (binding.status === "loading" ? setTimeout(test, 5)
      : resolve(stop));
    test();
  });
  const time = client.at("/time"), today = client.at("/today");
  await Promise.all([shows(time, (value) => value), refused(today)]);
  check(today.snapshot.problem?.status === 422 && today.status === "absent", "it has the problem", today.snapshot);
  check(streams === 2, "the others are watched without it", streams);
  time.subscribe(() => {});

  // Places that are too long for a request are refused, and those that are watched stay.
  const long = client.at("/dishes").at("x".repeat(1_100_000));
  await refused(long);
  check(long.snapshot.problem?.status === 413, "it is too long", long.snapshot.problem);
  // Half of a surrogate pair is no text.
  const half = client.at("/dishes").at("😀".slice(0, 1));
  await refused(half);
  check(half.snapshot.problem?.kind === "refused", "it is no text", half.snapshot);
  for (const result of [half.set({ name: "A" }), half.update((value) => value), half.remove()]) {
    check((await result).problem?.kind === "refused", "its writes are refused", await result);
  }
  check(client.status.value.state === "live", "the stream is open", client.status.value);
  const value = time.value === "tonight" ? "tomorrow" : "tonight";
  await fetch(`${address}state/time`, {
    method: "PUT", body: JSON.stringify(value), headers: { "Content-Type": "application/json" },
  });
  await shows(time, (shown) => shown === value);
  client.close();

  // They are refused also before there is a stream.
  const first = connect(address), both = [first.at("/dishes").at("x".repeat(1_100_000)), first.at("/time")];
  both[1].subscribe(() => {});
  await refused(both[0]);
  check(both[0].snapshot.problem?.status === 413, "it is too long", both[0].snapshot.problem);
  await shows(both[1], (shown) => shown === value);
  first.close();
}
process.exit(0);
