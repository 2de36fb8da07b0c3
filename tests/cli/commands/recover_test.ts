import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER } from "../../support/payers.ts";
import { settleAll } from "../../support/payouts.ts";
import { takeBackup } from "../../support/restoring.ts";
import { payIn } from "../../support/sweeping.ts";
import { allocate, balanceOf } from "../../support/views.ts";
import { startWorld } from "../../support/world.ts";
import { runIn } from "../world_host.ts";

const COMMAND = ["deposit", "recover", "--network", "eth"];

Deno.test("deposit recover lists lost addresses, books them with --apply, and says what comes next", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { api } = world.merchant;
  await using backup = await takeBackup(world);
  const { address } = await allocate(api);
  await payIn(world, { to: address, raw: 3n * ETHER / 2n });
  await backup.bringBack();
  await settleAll(world);
  const run = async (...words: string[]) => {
    const { code, out, err } = await runIn(world, [...COMMAND, ...words, "--json"]);
    return { code, err, answer: JSON.parse(out) };
  };
  const row = { account_id: 1, network: "ETH", address, key_index: 0, reason: null };
  const holds = [{ currency: "ETH", amount: "1.5" }];
  assert.deepEqual(await run(), {
    code: 0,
    err: "1 found, and nothing written; --apply books them\n",
    answer: [{ ...row, holds, state: "lost" }],
  });
  const tip = Number(await anvil.rpc("eth_blockNumber"));
  const { err, ...applied } = await run("--account", "1", "--count", "5", "--apply");
  assert.deepEqual(applied, { code: 0, answer: [{ ...row, holds, state: "booked" }] });
  assert.match(err, new RegExp(`^1 booked\\..* to block ${tip}, "(rescan --network ETH) --from-`));
  assert.deepEqual(await run("--apply"), { code: 0, err: "", answer: [] });
  const rescanned = await runIn(world, ["rescan", "--network", "ETH", "--from-block", "1"]);
  assert.match(rescanned.out, /found: +1\n$/);
  await settleAll(world);
  assert.equal((await balanceOf(api)).balance, "1.5");

  const shown = await runIn(world, COMMAND, { isTerminal: true });
  assert.equal(shown.out, "Nothing found.\n");
  assert.match(shown.err, /^(\r\d+ keys, 0 of them used)+\n$/);
  assert.match(shown.err, /\r1000 keys, 0 of them used\n$/);
  const lost = await run("--lost-account", "7");
  assert.deepEqual([lost.code, lost.answer.error.message], [
    2,
    "--lost-account needs --account, the account's id now",
  ]);
});
