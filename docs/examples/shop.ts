import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import process from "node:process";
import { callCpg, isGenuineWebhook, withdraw } from "./cpg.ts";

interface Order {
  readonly id: string;
  readonly requestId: string;
  readonly address: string;
  status: "waiting" | "paid";
  transactions: unknown[];
}

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

const access = {
  url: setting("CPG_URL"),
  key: setting("CPG_KEY_ID"),
  secret: setting("CPG_SECRET"),
};
const webhookSecret = setting("CPG_WEBHOOK_SECRET");
const asset = { network: "ETH", currency: "ETH" };
/** In a real shop these would be database tables. */
const orders = new Map<string, Order>();
const seenEvents = new Set<string>();

async function createOrder(): Promise<Reply> {
  const id = randomUUID();
  const { success, data, message } = await callCpg(access, {
    method: "POST",
    target: "/v1/deposit-addresses",
    body: { ...asset, idempotency_key: id },
  });
  if (!success) return { status: 502, body: { message } };
  const { request_id: requestId, address } = data;
  const order: Order = { id, requestId, address, status: "waiting", transactions: [] };
  orders.set(id, order);
  return { status: 201, body: order };
}

/** An event says that something happened; the API says what is true now. */
async function takeEvent(request: IncomingMessage): Promise<Reply> {
  const body = await textOf(request);
  const headers = request.headers as Record<string, string>;
  if (!isGenuineWebhook(webhookSecret, { headers, body })) return { status: 401, body: {} };
  const eventId = headers["webhook-id"]!;
  if (!seenEvents.has(eventId)) {
    const { type, data, sample } = JSON.parse(body);
    // A sample reports no real money.
    if (!sample && type.startsWith("deposit.")) await refresh(data.request_id);
    seenEvents.add(eventId);
  }
  return { status: 200, body: {} };
}

async function refresh(requestId: string): Promise<void> {
  const order = [...orders.values()].find((one) => one.requestId === requestId);
  if (!order) return;
  const target = `/v1/deposit-requests/${requestId}`;
  const { success, data, message } = await callCpg(access, { method: "GET", target });
  // A 500 to the gateway, so that it sends the event again.
  if (!success) throw new Error(message);
  order.transactions = data.transactions;
  order.status = data.status === "settled" ? "paid" : "waiting";
}

async function refund(id: string, request: IncomingMessage): Promise<Reply> {
  if (orders.get(id)?.status !== "paid") return { status: 409, body: { message: "Not paid" } };
  const { to_address, amount } = JSON.parse(await textOf(request));
  const reference = `refund-${id}`;
  const answer = await withdraw(access, {
    ...asset,
    to_address,
    amount,
    client_reference: reference,
  });
  return { status: answer.status, body: answer.success ? answer.data : answer.error };
}

function route(request: IncomingMessage): Promise<Reply> | Reply {
  const [, first, id = "", last] = new URL(request.url ?? "/", "http://shop").pathname.split("/");
  const order = orders.get(id);
  if (request.method === "POST" && first === "hook") return takeEvent(request);
  if (request.method === "POST" && first === "orders" && id === "") return createOrder();
  if (request.method === "POST" && order && last === "refund") return refund(id, request);
  if (request.method === "GET" && order) return { status: 200, body: order };
  return { status: 404, body: {} };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  return text;
}

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

const server = createServer(async (request, response) => {
  const failed = (error: Error): Reply => ({ status: 500, body: { message: error.message } });
  const { status, body } = await Promise.resolve(route(request)).catch(failed);
  response.writeHead(status, { "content-type": "application/json" });
  response.end(`${JSON.stringify(body)}\n`);
});
const port = Number(process.env.PORT ?? 9000);
server.listen(port, "127.0.0.1", () => {
  process.stdout.write(`Listening on http://127.0.0.1:${port}\n`);
});
