// Values that the stream or a read is still sending when the client looks whether it needs another stream.
import { check, load, shows } from "./support.mjs";

const { setTimeout: later } = globalThis, batchTime = 20, retryTime = 5_000, lingerTime = 30_000;
const waiting = [];
globalThis.setTimeout = (run, time, ...rest) => later((...values) => {
  run(...values);
  if (time === batchTime) for (const resume of waiting.splice(0)) resume();
}, [retryTime, lingerTime].includes(time) ? 0 : time, ...rest);
/** Returns when the client has looked whether it needs another stream. */
const batch = () => new Promise((resume) => { waiting.push(resume); });
const { connect } = await load(), address = process.argv[2];

{
  // The rest of an event arrives later than its first byte.
  let streams = 0;
  const client = connect(address, { async fetch(url, options) {
    if (!String(url).endsWith("events")) return fetch(url, options);
    const number = (streams += 1);
    check(number < 5, "a stream is not closed while it sends values", number);
    const response = await fetch(url, options);
    let isFirst = true;
    const body = response.body.pipeThrough(new TransformStream({ async transform(bytes, controller) {
      if (isFirst) {
        isFirst = false;
        controller.enqueue(bytes.subarray(0, 1));
        await batch();
        // The next stream begins before the rest arrives.
        if (number === streams) controller.enqueue(bytes.subarray(1));
      } else controller.enqueue(bytes);
    } }));
    return new Response(body, response);
  } });
  const [time, dishes] = ["/time", "/dishes"].map(client.at);
  await Promise.all([time, dishes].map((binding) => shows(binding, (value) => value !== undefined)));
  check(streams === 1, "one stream is enough", streams);
  dishes.subscribe(() => {});
  // A place that is forgotten remains in the stream, which does not send its value again.
  while (client.at("/time") === time) await new Promise((resolve) => { later(resolve, 5); });
  await shows(client.at("/time"), (value) => value !== undefined);
  check(streams === 2, "the stream for the value that is needed again", streams);
  client.close();
}
{
  // A large value is read once, and again if the server was busy.
  let streams = 0, reads = 0, answer;
  const headers = { "State-History": "a", "State-Revision": "1", ETag: '"b"' };
  const change = { path: "/text", etag: "b", large: true };
  const client = connect("http://localhost/", { async fetch(url, { body }) {
    if (!String(url).endsWith("events")) {
      reads += 1;
      if (reads > 1) return new Response('"long"', { headers });
      return new Promise((resolve) => { answer = () => resolve(new Response("{}", { status: 429, headers })); });
    }
    streams += 1;
    const [{ have }] = JSON.parse(body), event = { revision: 1, changes: have ? [] : [change] };
    return new Response(new ReadableStream({ start(controller) {
      controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
    } }), { headers });
  } });
  const text = client.at("/text");
  text.subscribe(() => {});
  while (!answer) await new Promise((resolve) => { later(resolve, 5); });
  await batch();
  check(streams === 1 && reads === 1, "one stream and one request", streams, reads);
  answer();
  await shows(text, (value) => value === "long");
  check(streams === 1 && reads === 2, "it is read again", streams, reads);
  client.close();
}
process.exit(0);
