// A typical Node program without a framework.
import { createServer } from "node:http";

const dish = {
  id: "b10de400-0000-8000-8000-000000000001",
  name: "🍝 Spaghetti Carbonara",
  isFavorite: false,
  status: { inStock: { quantity: 1 } },
};
const path = `/state/dishes/${dish.id}`;
let revision = 0;

function respond(response, value) {
  const body = JSON.stringify(value);
  response.writeHead(200, {
    "Content-Type": "application/json",
    "State-Revision": revision,
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}

function reject(response, status) {
  response.writeHead(status, { "Content-Length": 0 });
  response.end();
}

function patch(request, response) {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    let value;
    try {
      value = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return reject(response, 400);
    }
    if (!Number.isInteger(value) || value < 0) return reject(response, 422);
    if (dish.status.inStock.quantity !== value) {
      dish.status.inStock.quantity = value;
      revision += 1;
    }
    respond(response, value);
  });
}

createServer((request, response) => {
  if (request.method === "GET" && request.url === path) return respond(response, dish);
  if (request.method === "PATCH" && request.url === `${path}/status/inStock/quantity`) return patch(request, response);
  reject(response, 404);
}).listen(Number(process.argv[2]), "127.0.0.1");
