import assert from "node:assert/strict";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { TamperedRow } from "../../../src/store/engine/tampered_row.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { type Contract, deploy } from "../../support/nodes/contracts.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { ETHER } from "../../support/payers.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import { payIn } from "../../support/sweeping.ts";
import { alertsOf, allocate, balanceOf, cursorOf } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

/** Writes like an attacker who has only the database, and makes every program reload its settings. */
async function sql({ deps }: World, ...statements: readonly string[]): Promise<void> {
  const all = [...statements, "UPDATE write_clock SET config_version = config_version + 1"];
  await deps.db.execute(all.map((text) => ({ sql: text })));
  const [row] = await deps.db.query("SELECT config_version AS version FROM write_clock");
  await eventually(() => deps.catalog.current(), {
    until: ({ version }) => version === Number(row!.version),
  });
}

const KEEP = "CREATE TABLE thief AS SELECT * FROM currencies";
const PUT_BACK = `UPDATE currencies SET (contract_address, decimals) =
(SELECT t.contract_address, t.decimals FROM thief AS t
  WHERE t.symbol = currencies.symbol AND t.network = currencies.network)`;

const FORGERIES: Readonly<Record<string, (worthless: Contract) => string>> = {
  "another contract": ({ address }) =>
    `UPDATE currencies SET contract_address = '${address}' WHERE symbol = 'USDT'`,
  "other decimals": () => "UPDATE currencies SET decimals = 0 WHERE symbol = 'USDT'",
  "other decimals of the coin": () => "UPDATE currencies SET decimals = 3 WHERE symbol = 'ETH'",
};

for (const [what, forge] of Object.entries(FORGERIES)) {
  Deno.test(`no deposit is credited in a currency that somebody wrote to the database: ${what}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const { deps, merchant: { api } } = world;
    const token = await world.addToken();
    const worthless = await deploy(anvil, { name: "Token", args: ["FREE", 6] });
    const { address: to } = await allocate(api, { currency: "USDT" });
    await settleAll(world);
    await sql(world, KEEP, forge(worthless));
    await payIn(world, { to, raw: 1_000_000_000n, token: worthless });
    await payIn(world, { to, raw: 1_000_000n, token });
    await payIn(world, { to, raw: ETHER });
    await settleAll(world);
    await settleAll(world);
    const subject = `currencies:ETH/${what.endsWith("coin") ? "ETH" : "USDT"}`;
    assert.deepEqual((await alertsOf(deps)).map((row) => [row.kind, row.subject]), [
      ["tampered", subject],
    ]);
    const { scanHeight: fromBlock } = await cursorOf(deps);
    const order = { network: "ETH", fromBlock, toBlock: undefined, actor: "test" };
    await assert.rejects(rescan(deps, order), TamperedRow);
    const { differences, surplus, skipped } = await reconcile(deps, { network: "ETH" });
    assert.deepEqual([differences, surplus, skipped.length], [[], [], 1]);
    // Once repaired, it continues where it stopped, and nothing is lost.
    await sql(world, PUT_BACK);
    await settleAll(world);
    await settleAll(world);
    assert.equal((await balanceOf(api, "USDT")).balance, "1");
    assert.equal((await balanceOf(api, "ETH")).balance, "101");
  });
}
