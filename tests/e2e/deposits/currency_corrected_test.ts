import assert from "node:assert/strict";
import { readBlocks } from "../../../src/following/read_blocks.ts";
import { planMovements } from "../../../src/following/plan_movements.ts";
import { CursorMoved, recordMovements } from "../../../src/following/record_movements.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { setCurrency } from "../../../src/networks/currencies.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { allocate } from "../../support/views.ts";
import { startWorld } from "../../support/world.ts";
import { makeTransaction } from "../../store/reads/make_rows.ts";

const OFF = { CPG_WORKER: "false" };
const USDT = { network: "ETH", currency: "USDT" };

const mend = (deps: Deps) =>
  setCurrency(deps, { network: "ETH", symbol: "USDT", change: { decimals: 18 }, actor: "test" });

Deno.test("a currency with a balance keeps its decimals until the balance is taken back", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  await world.addToken();
  const { deps, merchant: { accountId } } = world;
  const adjust = (amount: string) =>
    adjustBalance(deps, { accountId, ...USDT, amount, note: "test", actor: "test" });
  await adjust("5");
  await assert.rejects(mend(deps), /^OperatorError: USDT on ETH has a balance \(account 1\)/);
  await adjust("-5");
  assert.equal((await mend(deps)).decimals, 18);
});

Deno.test("what is booked while a currency is being checked keeps its decimals", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  await world.addToken();
  const { deps } = world;
  let isBooked = false;
  const query: typeof deps.db.query = async (...asked) => {
    const rows = await deps.db.query(...asked);
    if (isBooked) return rows;
    isBooked = true;
    const { id: _, ...row } = makeTransaction({ id: 0, ...USDT });
    await deps.db.write({ reads: [], decide: (view) => view.insert(Transactions, row) });
    return rows;
  };
  await assert.rejects(
    mend({ ...deps, db: { ...deps.db, query } }),
    /USDT on ETH has transactions/,
  );
  assert.equal((await deps.catalog.current()).currency("ETH", "USDT")!.decimals, 6);
});

Deno.test("a deposit read with a currency's old decimals isn't booked, and is read again", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  const token = await world.addToken();
  const { deps, merchant: { api } } = world;
  const { address } = await allocate(api, { currency: "USDT" });
  await token.send("mint", [address, 5_000_000n]);
  const network = await findNetwork(deps, "ETH");
  const height = Number(await anvil.rpc("eth_blockNumber", []));
  const chain = deps.chains.of(network);
  const { blocks, owned } = await readBlocks(deps, { network, chain, from: height, to: height });
  const record = async (change: () => Promise<unknown>) => {
    const plan = await planMovements(deps, { network, blocks, owned });
    await change();
    return await deps.db.write({
      reads: plan.reads,
      decide: (view) => recordMovements(view, { plan, network, topHeight: height, nowMs: 1 }),
    });
  };
  await assert.rejects(record(() => mend(deps)), CursorMoved);
  assert.equal(await record(() => Promise.resolve()), 1);
  const [row] = await deps.db.rows(Transactions, "");
  assert.equal(row!.amount, "0.000000000005");
});
