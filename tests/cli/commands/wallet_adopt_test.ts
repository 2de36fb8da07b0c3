import assert from "node:assert/strict";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { spendOwn } from "../../support/nodes/own_wallet.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import type { World } from "../../support/world.ts";
import { runIn } from "../world_host.ts";

async function adopt(world: World, ...words: string[]) {
  const line = ["wallet", "adopt", ...words, "--network", "ETH", "--json"];
  const { code, out, err } = await runIn(world, line);
  return { code, rows: JSON.parse(out), err };
}

Deno.test("wallet adopt shows payee, amount, currency and block of each payout that is left", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { hotWallet } = world.merchant;
  const hashes: string[] = [];
  for (const tenths of [3n, 12n]) {
    const amountRaw = tenths * ETHER / 10n;
    hashes.push(await spendOwn(world, { from: hotWallet, to: STRANGER, amountRaw }));
  }
  for (let i = 0; i < 3; i++) await settleAll(world);
  const { code, rows } = await adopt(world);
  assert.equal(code, 1);
  const reported = rows.map((row: Record<string, unknown>) => [
    ...[row.tx_hash, row.from_address, row.to_address, row.amount, row.currency],
  ]);
  assert.deepEqual(reported, [
    [hashes[0], hotWallet, STRANGER, "0.3", "ETH"],
    [hashes[1], hotWallet, STRANGER, "1.2", "ETH"],
  ]);
  assert.ok(rows[0].block_number < rows[1].block_number);
});

Deno.test("wallet adopt says so if the given terms changed nothing", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { hotWallet } = world.merchant;
  const { address: from } = await gasWallet(world.deps, { network: "ETH", actor: "test" });
  await setBalance(anvil, from, ETHER);
  const gas = await spendOwn(world, { from, to: hotWallet, amountRaw: 1n });
  const paid = await spendOwn(world, { from: hotWallet, to: STRANGER, amountRaw: ETHER });
  for (let i = 0; i < 3; i++) await settleAll(world);
  const first = await adopt(world, gas, "--withdrawal", "7");
  assert.equal(
    first.err,
    `${gas}: --withdrawal not used, because the books show that it is gas_topup\n`,
  );
  assert.equal((await adopt(world, gas)).err, "");
  assert.equal((await adopt(world, paid, "--withdrawal", "new", "--fee", "1")).err, "");
  assert.equal((await adopt(world, paid, "--withdrawal", "1")).err, "");
  const again = await adopt(world, paid, "--withdrawal", "new", "--fee", "1");
  assert.equal(
    again.err,
    `${paid}: --withdrawal, --fee not used, because the books show that it is withdrawal 1\n`,
  );
});
