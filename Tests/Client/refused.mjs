// What the client says and sends while requests are refused because a token is missing or not valid.
import { check, load, quantityPath, shows } from "./support.mjs";

const { connect } = await load(), address = process.argv[2];
const turns = async () => { for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate); };
let isRefusing = true, requests = [];
const client = connect(address, { fetch(url, options) {
  const path = new URL(url).pathname;
  check(requests.push(`${options.method} ${path}`) < 20, "requests are not repeated", requests);
  if (path === "/session") return Promise.resolve(new Response("{}", { headers: { "State-History": "a" } }));
  if (!isRefusing) return fetch(url, options);
  return Promise.resolve(new Response('{"title":"Revoked","reason":"token-revoked"}', { status: 401 }));
} });

// An update reads first. It waits for the sign-in, like other writes.
const quantity = client.at(quantityPath), updated = quantity.update((value) => value + 1);
await shows(client.status, ({ state }) => state === "signedOut");
await turns();
check(requests.length === 1, "a request is not repeated before the sign-in", requests);
isRefusing = false;
await client.signIn("token");
check((await updated).ok > 0, "it is sent after the sign-in", await updated);

// The reason that the stream has given remains.
isRefusing = true;
requests = [];
client.at("/time").subscribe(() => {});
await shows(client.status, ({ state, reason }) => state === "signedOut" && reason === "token-revoked");
const written = client.at("/time").set("tomorrow");
while (!requests.some((request) => request.startsWith("PUT"))) await turns();
await turns();
check(client.status.value.reason === "token-revoked", "the reason", client.status.value);
const failure = await client.history().next().catch((error) => error);
check(failure?.message === "Revoked" && failure.kind === "signedOut", "the message of an error", failure?.message);
isRefusing = false;
await client.signIn("token");
check((await written).ok === "tomorrow", "it is sent after the sign-in", await written);
client.close();

// A token that no header can contain is sent in another form, which no server accepts.
const { problem } = await connect(address).signIn("wröng€token");
check(problem?.kind !== "offline", "the server gets it", problem);
process.exit(0);
