// Places that a write removes without a connection.
import { check, dish, load, shows } from "./support.mjs";

const { connect } = await load(), address = process.argv[2];

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
process.exit(0);
