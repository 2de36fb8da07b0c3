import assert from "node:assert/strict";
import { setSettings } from "../../../src/access/require_second_factor.ts";
import { stopSigning } from "../../../src/integrity/manage_stop.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { approveProposal } from "../../../src/proposals/decide.ts";
import { outbidTransfer } from "../../../src/transfers/outbid.ts";
import { openTransactionsOf, withPayments } from "../../../src/transfers/reads/transfers.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { topUp } from "../../../src/transfers/top_up.ts";
import { haltWallet } from "../../../src/wallets/halt.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { AuditLog } from "../../../src/audit/table.ts";
import { Notices } from "../../../src/alerts/table.ts";
import { runIn } from "../../cli/world_host.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { spendOwn } from "../../support/nodes/own_wallet.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import { receivedBy, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { makePerson } from "../../support/people/proposals.ts";
import { fundGasWallet } from "../../support/sweeping.ts";
import { alertsOf } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const GAS_LEFT_MAX = ETHER / 100n;

async function withdraw(world: World, amount: string, to = STRANGER) {
  const words = ["wallet", "withdraw-gas", "ETH", "--to", to, "--amount", amount];
  const { code, out, err } = await runIn(world, [...words, "--yes", "--json"]);
  return { code, said: out + err, answer: code === 0 ? JSON.parse(out) : undefined };
}

async function settled(world: World): Promise<void> {
  for (let i = 0; i < 3; i++) await settleAll(world);
}

Deno.test("coins are taken out of the gas wallet one withdrawal at a time, noted and told", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  const gas = await fundGasWallet(world);
  const { code, answer } = await withdraw(world, "4");
  assert.equal(code, 0);
  const { tx_hash, ...rest } = answer;
  assert.deepEqual(rest, { network: "ETH", from: gas, to: STRANGER, amount: "4" });
  const again = await withdraw(world, "1");
  assert.equal(again.code, 1);
  assert.match(again.said, /takes coins out of the gas wallet already and isn't final yet/);
  await settled(world);
  assert.equal(await receivedBy(anvil, STRANGER), 4n * ETHER);
  const [tx] = await deps.db.rows(SignedTransactions, "WHERE tx_hash = ?", [tx_hash]);
  assert.equal(tx?.state, "settled");
  const notices = await deps.db.rows(Notices, "WHERE topic = 'security' ORDER BY id DESC LIMIT 1");
  assert.equal(
    notices[0]?.title,
    "Check that it was you: 4 ETH were taken out of the gas wallet of ETH",
  );
  const [row] = await deps.db.rows(AuditLog, "WHERE action = 'network.gas_withdrawn'");
  assert.equal(row?.subject, "network:ETH");
  assert.deepEqual(row.detail, { from: gas, to: STRANGER, amount: "4", tx_hash });

  const all = await withdraw(world, "all");
  assert.equal(all.code, 0, all.said);
  await settled(world);
  const left = await receivedBy(anvil, gas);
  assert.ok(left > 0n && left < GAS_LEFT_MAX, String(left));
  assert.ok(await receivedBy(anvil, STRANGER) > 10n * ETHER - GAS_LEFT_MAX);
  assert.deepEqual(await alertsOf(deps), []);
});

Deno.test("of two who take coins out at once, one does, and the other is told so", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  await fundGasWallet(world);
  const answers = await Promise.all([withdraw(world, "2"), withdraw(world, "2")]);
  assert.deepEqual(answers.map(({ code }) => code).toSorted(), [0, 1]);
  assert.match(answers.find(({ code }) => code === 1)!.said, /isn't final yet|was taken out/);
  await settled(world);
  assert.equal(await receivedBy(anvil, STRANGER), 2n * ETHER);
  assert.equal((await deps.db.rows(SignedTransactions, "")).length, 1);
});

Deno.test("nothing is taken out of a gas wallet that lacks it, is halted or stopped, nor to our own addresses", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { hotWallet } } = world;
  assert.match((await withdraw(world, "1")).said, /has no gas wallet/);
  const gas = await fundGasWallet(world);
  assert.match(
    (await withdraw(world, "11")).said,
    /: 10 ETH can be taken out, less the fee/,
  );
  for (const own of [gas, hotWallet]) {
    assert.match(
      (await withdraw(world, "1", own)).said,
      /is the gateway's own|own address|gateway/,
    );
  }
  assert.match((await withdraw(world, "1", "0x12")).said, /not an address/);
  await stopSigning(deps, { reason: "test", actor: "test" });
  assert.match((await withdraw(world, "1")).said, /until an operator resumes/);
  const wallet = await deps.db.get(Addresses, ["ETH", gas], "address");
  await haltWallet(deps, wallet, "Its key was used elsewhere");
  assert.match((await withdraw(world, "1")).said, /signs nothing new until it is resumed/);
  assert.deepEqual(await deps.db.rows(SignedTransactions, ""), []);
  assert.equal(await receivedBy(anvil, gas), 10n * ETHER);
});

Deno.test("what the gas wallet has signed for others stays covered", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId, hotWallet } } = world;
  await fundGasWallet(world);
  const network = await findNetwork(deps, "ETH");
  const chain = deps.chains.of(network);
  const target = { accountId, address: hotWallet };
  await topUp(deps, { network, chain, target, amountRaw: 6n * ETHER });
  assert.match((await withdraw(world, "5")).said, /: 3\.99\d+ ETH can be taken out, less the fee/);
  const { answer } = await withdraw(world, "all");
  assert.ok(Number(answer.amount) > 3.99 && Number(answer.amount) < 4, answer.amount);
  await settled(world);
  assert.equal(String(await receivedBy(anvil, hotWallet)), String(206n * ETHER));
});

Deno.test("a withdrawal of gas that no block takes is bid again for the same coins, or revoked", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  const gas = await fundGasWallet(world);
  const network = await findNetwork(deps, "ETH");
  const bidAgain = async (isVoid: boolean) => {
    const open = await openTransactionsOf(deps.db, { network: "ETH", sender: gas });
    const [newest] = await withPayments(deps.db, open.filter(({ isLive }) => isLive));
    const revokes = isVoid ? () => true : undefined;
    const bid = { network, newest: newest!, revokes, isAnyway: true, actor: "test" };
    return await outbidTransfer(deps, bid);
  };
  const { answer } = await withdraw(world, "all");
  const sent = BigInt(Math.round(Number(answer.amount) * 1e6)) * ETHER / 1_000_000n;
  await bidAgain(false);
  await settled(world);
  const received = await receivedBy(anvil, STRANGER);
  assert.ok(received - sent < ETHER / 1_000_000n && sent - received < ETHER / 1_000_000n);
  assert.ok(received > 9n * ETHER);

  await fundGasWallet(world);
  await withdraw(world, "4");
  await bidAgain(true);
  await settled(world);
  assert.equal(await receivedBy(anvil, STRANGER), received);
  assert.deepEqual(await alertsOf(deps), []);
});

Deno.test("under dual control nothing is taken out, or signed, before somebody else has approved it", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  await fundGasWallet(world);
  const bob = await makePerson(deps, { role: "operator", name: "bob", accountId: null });
  await makePerson(deps, { role: "operator", name: "ann", accountId: null });
  await setSettings(deps, { change: { dualControl: true }, actor: "test" });
  const { answer } = await withdraw(world, "4");
  assert.equal(answer.kind, "gas_wallet.withdraw");
  assert.deepEqual(await deps.db.rows(SignedTransactions, ""), []);
  await approveProposal(deps, { id: answer.proposal_id, decider: bob });
  await settled(world);
  assert.equal(await receivedBy(anvil, STRANGER), 4n * ETHER);
  await assert.rejects(approveProposal(deps, { id: answer.proposal_id, decider: bob }));
  await settled(world);
  assert.equal(await receivedBy(anvil, STRANGER), 4n * ETHER);
});

Deno.test("a withdrawal of gas that restored books lack is booked once a person names it", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  const from = await fundGasWallet(world);
  const hash = await spendOwn(world, { from, to: STRANGER, amountRaw: ETHER });
  await settled(world);
  const adopt = async (...words: string[]) => {
    const { out } = await runIn(world, ["wallet", "adopt", ...words, "--network", "ETH", "--json"]);
    return JSON.parse(out)[0];
  };
  const left = await adopt();
  assert.match(left.reason, /is no gas top-up/);
  const { state, tx_hash } = await adopt(hash);
  assert.deepEqual([state, tx_hash], ["settled", hash]);
  assert.deepEqual((await alertsOf(deps)).filter(({ kind }) => kind === "foreign_spend"), []);
});
