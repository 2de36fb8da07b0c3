// A shop that is paid in crypto: node shop.mjs serves it, node shop.mjs reconcile runs every night.
import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";
import { text } from "node:stream/consumers";
import { Cpg, verifyWebhook, WebhookError } from "cpg-sdk";

const { CPG_URL: url, CPG_KEY_ID: keyId, CPG_SECRET: secret, CPG_WEBHOOK_SECRET } = process.env;
const { SHOP_FILE = "shop.json", PORT = "9000" } = process.env;
const ASSET = { network: "ETH", currency: "ETH" };
const cpg = new Cpg({ url, keyId, secret });
const orders = load();

// A real shop has a database.
function load() {
  try {
    return new Map(JSON.parse(readFileSync(SHOP_FILE, "utf8")));
  } catch (error) {
    if (error.code === "ENOENT") return new Map();
    throw error;
  }
}

function save() {
  writeFileSync(`${SHOP_FILE}.new`, JSON.stringify([...orders]));
  renameSync(`${SHOP_FILE}.new`, SHOP_FILE);
}

async function createOrder({ price }) {
  const id = randomUUID();
  const { address, request_id, display_expires_at } = await cpg.createDepositAddress({
    ...ASSET,
    idempotency_key: id,
  });
  orders.set(id, { id, price, request_id, address, display_expires_at, paid: "0", refund: null });
  save();
  return orders.get(id);
}

// The event says that something happened. What is true now, the gateway knows.
async function takeWebhook(body, headers) {
  const { type, data } = await verifyWebhook(body, headers, CPG_WEBHOOK_SECRET);
  const order = [...orders.values()].find(({ request_id }) => request_id === data.request_id);
  if (type === "deposit.confirmed" && order) await refresh(order);
  return {};
}

const CREDITED = ["confirmed", "sweep_pending", "swept"];

async function refresh(order) {
  const { transactions } = await cpg.readDepositRequest(order.request_id);
  const credited = transactions.filter(({ status }) => CREDITED.includes(status));
  order.paid = shown(credited.reduce((sum, one) => sum + units(one.amount_decimal), 0n));
  order.isPaid = units(order.paid) >= units(order.price);
  save();
}

// Saved before it is sent, so that a second click or a restart pays the same refund, not another.
async function refund(order, { to_address, amount }) {
  if (!order.isPaid) throw new Error("Nothing was paid yet");
  order.refund ??= { to_address, amount, client_reference: `refund-${order.id}` };
  save();
  const { to_address: to, amount: much, client_reference } = order.refund;
  const answer = await cpg.createWithdrawal({
    ...ASSET,
    to_address: to,
    amount: much,
    client_reference,
  });
  order.refund.withdrawal_id = answer.withdrawal_id ?? answer.id;
  order.refund.status = answer.status;
  save();
  return order;
}

// What webhooks missed is found here, and so is what nobody can explain.
async function reconcile() {
  for (const order of orders.values()) {
    await refresh(order);
    if (!order.refund?.withdrawal_id) continue;
    const { status, fee } = await cpg.readWithdrawal(order.refund.withdrawal_id);
    Object.assign(order.refund, { status, fee });
  }
  save();
  const [row] = await cpg.listBalances(ASSET).all();
  const ours = [...orders.values()].reduce((sum, one) => sum + units(one.paid) - spent(one), 0n);
  return { orders: orders.size, ours: shown(ours), balance: row?.balance ?? "0" };
}

function spent({ refund }) {
  return refund?.status === "confirmed" ? units(refund.amount) + units(refund.fee) : 0n;
}

// Amounts are exact: whole units of 10^-18, never floats.
function units(decimal) {
  const [whole, part = ""] = decimal.split(".");
  return BigInt(whole + part.padEnd(18, "0"));
}

function shown(amount) {
  const digits = String(amount < 0n ? -amount : amount).padStart(19, "0");
  const decimal = `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, "");
  return amount < 0n ? `-${decimal}` : decimal;
}

async function answer(request) {
  const body = await text(request);
  const [, first, id, last] = request.url.split("/");
  const order = orders.get(id);
  if (request.method === "POST" && first === "hook") return takeWebhook(body, request.headers);
  if (request.method === "POST" && first === "orders" && !id) return createOrder(JSON.parse(body));
  // Only you may do this: a real shop asks who is calling.
  if (request.method === "POST" && order && last === "refund") {
    return refund(order, JSON.parse(body));
  }
  return order;
}

function serve() {
  const server = createServer(async (request, response) => {
    const [status, value] = await answer(request).then(
      (value) => value ? [200, value] : [404, {}],
      // Anything but a 2xx, and the gateway sends the event again.
      (error) => [error instanceof WebhookError ? 401 : 500, { message: error.message }],
    );
    response.writeHead(status, { "content-type": "application/json" });
    response.end(`${JSON.stringify(value)}\n`);
  });
  server.listen(Number(PORT), "127.0.0.1", () => {
    process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
  });
}

if (process.argv[2] === "reconcile") {
  process.stdout.write(`${JSON.stringify(await reconcile())}\n`);
} else serve();
