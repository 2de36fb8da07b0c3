import assert from "node:assert/strict";
import { addSource, removeSource } from "../../../src/rates/manage.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startWorld } from "../../support/world.ts";

const ETH = { network: "ETH", currency: "ETH" };
const ORDER = { amount: "25", currency: "EUR" };
const USDT = { network: "ETH", currency: "USDT" };

Deno.test("a coin without a rate is left out, or refused with its pair if it was chosen", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  await world.addToken();
  const { deps, merchant: { api } } = world;
  let asked = 0;
  const ask = async (wish: object) => {
    const order = { ...ORDER, reference: `r${++asked}`, ...wish };
    const { status, body: { data, message, error } } = await api.post("/v1/invoices", order);
    if (status !== 200) return `${status} ${message} (${error.code})`;
    return data.methods.map((one: Record<string, string>) =>
      `${one.amount_decimal} ${one.currency} at ${one.rate}`
    ).join(", ");
  };
  const unknown = await ask({});
  assert.match(unknown, /^404 Currency not found: no rates for EUR.* \(currency_not_found\)$/);
  const price = {
    base: "ETH",
    quote: "EUR",
    kind: "manual",
    value: "2500",
    actor: "test",
  } as const;
  const { id } = await addSource(deps, price);
  assert.equal(await ask({}), "0.01 ETH at 2500");
  assert.equal(await ask({ methods: [ETH, USDT] }), "0.01 ETH at 2500");
  const refused = "503 No rate for USDT/EUR (rate_unavailable)";
  for (const wish of [{ method: USDT }, { methods: [USDT] }, { methods: [ETH], method: USDT }]) {
    assert.equal(await ask(wish), refused, JSON.stringify(wish));
  }
  const { invoice_id: only } =
    (await api.post("/v1/invoices", { ...ORDER, methods: [ETH] })).body.data;
  const choose = async () => {
    const { status, body } = await api.post(`/v1/invoices/${only}/methods`, USDT);
    return `${status} ${body.message}`;
  };
  assert.equal(await choose(), "503 No rate for USDT/EUR");
  const { id: late } = await addSource(deps, { ...price, base: "USDT", value: "0.9" });
  const notAmong = "404 Currency not found: it is not among the methods of the invoice";
  assert.equal(await choose(), notAmong);
  await removeSource(deps, { id: late, actor: "test" });
  await addSource(deps, { ...price, value: "2600" });
  assert.equal(await ask({ method: ETH }), "503 No rate for ETH/EUR (rate_unavailable)");
  assert.equal(await ask({ currency: "ETH", amount: "2" }), "2 ETH at 1");
  await removeSource(deps, { id, actor: "test" });
  assert.equal(await ask({ amount: "26" }), "0.01 ETH at 2600");
});
