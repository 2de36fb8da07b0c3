/**
 * A platform opens an account for a new merchant, with one key of the operator's:
 * NAME NETWORK CURRENCY RECEIVING_ADDRESS WEBHOOK_URL, and CPG_URL, CPG_KEY_ID and CPG_SECRET in
 * the environment. Repeated with the same name within a day, it goes on where it broke off.
 */
import { createHash, createHmac } from "node:crypto";
import { argv, env } from "node:process";

const [name, network, currency, address, url] = argv.slice(2);
if (!url) throw new Error("Give NAME NETWORK CURRENCY RECEIVING_ADDRESS WEBHOOK_URL");

const account = (await call("account/create", { name })).account_id;
await call("account/enable", { account, network, currency });
await call("account/receiving-wallet", { account, network, address });
const permissions = ["all"];
const key = await call("key/create", { account, label: "shop", permissions });
const webhook = await call("webhook/add", { account, url });
const rates = await call("rate/list");

// deno-lint-ignore no-console -- its answer
console.log(JSON.stringify({
  account_id: account,
  key_id: key.key_id,
  secret: key.secret,
  webhook_secret: webhook.secret,
  rates: rates.length,
}));

/** The path is a command, the fields are its flags. A GET has no fields here. */
// deno-lint-ignore no-explicit-any
async function call(command: string, fields?: object): Promise<any> {
  const target = `/admin/v1/${command}`;
  const method = fields ? "POST" : "GET";
  const body = fields ? JSON.stringify(fields) : "";
  const timestamp = String(Math.floor(Date.now() / 1000));
  const hash = createHash("sha256").update(body).digest("hex");
  const text = [timestamp, method, target, "", hash].join("\n");
  const reply = await fetch(env.CPG_URL + target, {
    method,
    ...fields ? { body } : {},
    headers: {
      "X-CPG-Key": env.CPG_KEY_ID ?? "",
      "X-CPG-Timestamp": timestamp,
      "X-CPG-Signature": createHmac("sha256", env.CPG_SECRET ?? "").update(text).digest("hex"),
      // The same step of the same merchant is done once, however often it is asked for.
      ...fields ? { "Idempotency-Key": `${name}/${command}` } : {},
    },
  });
  const answer = await reply.json();
  if (!answer.success) throw new Error(`${command}: ${answer.message}`);
  return answer.data;
}
