// address NETWORK CURRENCY ORDER | payout NETWORK CURRENCY ADDRESS AMOUNT REFERENCE
// verify ID TIMESTAMP SIGNATURE < body
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";

const { CPG_URL, CPG_KEY_ID, CPG_SECRET, CPG_WEBHOOK_SECRET } = process.env;
const OPEN = "It may have been carried out: ask again with the same reference.";

async function call(method, path, body) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  for (let tries = 1; tries <= 4; tries++) {
    const now = Math.floor(Date.now() / 1000).toString();
    const hash = createHash("sha256").update(text ?? "").digest("hex");
    const lines = [now, method, ...`${path}?`.split("?", 2), hash].join("\n"); // Path, then query.
    const headers = {
      "Content-Type": "application/json",
      "X-CPG-Key": CPG_KEY_ID,
      "X-CPG-Timestamp": now,
      "X-CPG-Signature": createHmac("sha256", CPG_SECRET).update(lines).digest("hex"),
    };
    const signal = AbortSignal.timeout(20_000);
    const answer = await fetch(CPG_URL + path, { method, headers, body: text, signal })
      .then(async (reply) => ({ status: reply.status, ...await reply.json() })).catch(() => {});
    if (answer?.status === 200) return answer.data;
    // Anything else is a proxy's answer.
    if (answer?.success === false && ![429, 500, 503].includes(answer.status)) {
      const faults = (answer.error.fields ?? []).map((one) => ` (${one.field}: ${one.message})`);
      throw new Error(answer.message + faults.join(""));
    }
    // Nobody knows whether it arrived. The reference makes repeating it safe.
    await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** tries));
  }
  throw new Error(`No answer from ${CPG_URL}. ${OPEN}`);
}

function isGenuine(id, timestamp, signatures, body) {
  const key = Buffer.from(CPG_WEBHOOK_SECRET.slice("whsec_".length), "base64");
  if (!key.length || !(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(" ").filter((one) => one.startsWith("v1,")).some((one) => {
    const given = Buffer.from(one.slice(3), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const [command, ...args] = process.argv.slice(2);
if (command === "address") {
  const [network, currency, idempotency_key] = args;
  const body = { network, currency, idempotency_key };
  const { address } = await call("POST", "/v1/deposit-addresses", body);
  process.stdout.write(`${address}\n`);
} else if (command === "payout") {
  const [network, currency, to_address, amount, client_reference] = args;
  const body = { network, currency, to_address, amount, client_reference };
  const { withdrawal_id, id, status } = await call("POST", "/v1/withdrawals", body);
  process.stdout.write(`${withdrawal_id ?? id} ${status}\n`);
} else if (command === "verify") {
  process.exitCode = isGenuine(...args, readFileSync(0)) ? 0 : 1;
} else throw new Error("address, payout or verify: see the first two lines of this file");
