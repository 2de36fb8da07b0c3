// A shop that is paid by invoices: node checkout.mjs serves it. Every night, run node checkout.mjs
// catch-up, and then node checkout.mjs reconcile.
import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import process from "node:process";
import { text } from "node:stream/consumers";
import { Cpg, verifyWebhook, WebhookError } from "cpg-sdk";

const { CPG_URL: url, CPG_KEY_ID: keyId, CPG_SECRET: secret, CPG_WEBHOOK_SECRET } = process.env;
const { SHOP_URL, SHOP_FILE = "checkout.json", PORT = "9000" } = process.env;
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

// The page of the invoice does the rest: coin, network, amount, code, countdown.
async function checkOut({ title, price }) {
  const id = randomUUID();
  const { invoice_id, status, url: pay_at } = await cpg.createInvoice({
    amount: price,
    currency: "EUR",
    reference: id,
    description: title,
    redirect_url: `${SHOP_URL}/orders/${id}`,
    idempotency_key: id,
  });
  orders.set(id, { id, title, price, invoice_id, status, paid: "0" });
  save();
  return { redirect: pay_at };
}

// The event says that something happened. What is true now, the gateway knows.
async function takeEvent(body, headers) {
  const { type, data } = await verifyWebhook(body, headers, CPG_WEBHOOK_SECRET);
  const order = type.startsWith("invoice.") && orders.get(data.reference);
  if (order) await look(order);
  return {};
}

// "paid" is the only status to deliver on. A reorganisation may take it back: "invoice.reversed".
async function look(order) {
  const { status, paid } = await cpg.readInvoice(order.invoice_id);
  Object.assign(order, { status, paid });
  save();
}

// The customer says on a page where to; then somebody at your company approves the payout.
async function offerRefund(order, { network, currency, amount }) {
  const { url } = await cpg.createRefundLink(order.invoice_id, { network, currency, amount });
  return { refund_at: url };
}

// What webhooks missed is found here.
async function catchUp() {
  for (const order of orders.values()) await look(order);
  return [...orders.values()].map(({ id, status, paid }) => ({ id, status, paid }));
}

// Each entry of the ledger belongs to an order's payment or refund. For others, find out why.
async function unexplainedEntries() {
  const explained = new Set();
  for (const { invoice_id } of orders.values()) {
    const { payments, refunds } = await cpg.readInvoice(invoice_id);
    for (const { transaction_id } of payments) explained.add(`deposit ${transaction_id}`);
    for (const { withdrawal_id } of refunds) explained.add(`payout ${withdrawal_id}`);
  }
  const unexplained = [];
  for await (const entry of cpg.listLedger()) {
    const { transaction_id, withdrawal_id } = entry;
    const cause = withdrawal_id ? `payout ${withdrawal_id}` : `deposit ${transaction_id}`;
    if (!explained.has(cause)) unexplained.push(entry);
  }
  return unexplained;
}

async function answer(request) {
  const body = await text(request);
  const [, first, id, last] = new URL(request.url, "http://shop").pathname.split("/");
  const order = orders.get(id);
  const isPost = request.method === "POST";
  if (isPost && first === "hook") return takeEvent(body, request.headers);
  if (isPost && first === "orders" && !id) return checkOut(JSON.parse(body));
  // Only you may do this: a real shop asks who is calling.
  if (isPost && order && last === "refund") return offerRefund(order, JSON.parse(body));
  // Where the customer comes back to. What the address says about the payment proves nothing.
  if (order) await look(order);
  return order;
}

function serve() {
  for (const [name, value] of Object.entries({ CPG_WEBHOOK_SECRET, SHOP_URL })) {
    if (!value) throw new Error(`${name} is not set`);
  }
  const server = createServer(async (request, response) => {
    const [status, value] = await answer(request).then(
      (value) => value ? [value.redirect ? 303 : 200, value] : [404, {}],
      // Anything but a 2xx, and the gateway sends the event again.
      (error) => [error instanceof WebhookError ? 401 : 500, { message: error.message }],
    );
    if (value.redirect) response.setHeader("location", value.redirect);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(`${JSON.stringify(value)}\n`);
  });
  server.listen(Number(PORT), "127.0.0.1", () => {
    process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
  });
}

const job = { "catch-up": catchUp, reconcile: unexplainedEntries }[process.argv[2]];
if (job) process.stdout.write(`${JSON.stringify(await job(), null, 2)}\n`);
else serve();
