import assert from "node:assert/strict";
import { adoptByHash } from "../../src/actions/adopt_spends.ts";
import { resumeWallet } from "../../src/actions/resume_wallet.ts";
import type { Deps } from "../../src/actions/deps.ts";
import { Addresses } from "../../src/store/tables.ts";
import { startAnvil } from "../support/anvil.ts";
import { startFaultProxy } from "../support/fault_proxy.ts";
import { showOnly } from "../support/lagging_node.ts";
import { spendOwn } from "../support/own_wallet.ts";
import { STRANGER } from "../support/payers.ts";
import { receivedBy, settleAll, startPayingWorld } from "../support/payouts.ts";
import { takeBackup } from "../support/restoring.ts";
import { cursorOf, withdraw } from "../support/views.ts";

const NO_TERMS = { withdrawal: undefined, fee: undefined, keyId: undefined, reference: undefined };
const BY = { network: "ETH", actor: "test" };
const ORDER = { to: STRANGER, amount: "3", reference: "order 7" };

Deno.test("a restored wallet is not resumed on the word of a node that is stuck, nor kept from it by that one once all is booked", async () => {
  await using anvil = await startAnvil();
  await using stuck = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startPayingWorld({ anvil, rpcUrls: [stuck.url, anvil.url] });
  const { api, hotWallet, credentials: { keyId } } = world.merchant;
  await world.round();
  await using backup = await takeBackup(world);
  const { scanHeight } = await cursorOf(world.deps);
  const { body: { data: { tx_hash: txHash } } } = await withdraw(api, ORDER);
  await settleAll(world);
  const received = await receivedBy(anvil, STRANGER);

  await showOnly(stuck, { anvil, tip: scanHeight });
  await backup.bringBack();
  const resume = () => resumeWallet(world.deps, { ...BY, address: hotWallet });
  await assert.rejects(resume(), /ETH is read up to block \d+, .*"wallet adopt", then try again/);
  await settleAll(world);
  await assert.rejects(resume(), /one payment that the books do not explain/);
  const terms = { ...NO_TERMS, keyId, reference: ORDER.reference };
  await adoptByHash(world.deps, { ...BY, txHash, terms });
  assert.equal((await resume()).haltedReason, null);
  assert.equal((await withdraw(api, ORDER)).body.data.tx_hash, txHash);
  await settleAll(world);
  assert.equal(await receivedBy(anvil, STRANGER), received);
});

Deno.test("a payment that is read while its wallet is being resumed keeps it halted", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { hotWallet: address } = world.merchant;
  await using backup = await takeBackup(world);
  await backup.bringBack();
  await settleAll(world);
  const { deps } = world;
  let isPaid = false;
  const write: Deps["db"]["write"] = async (unit) => {
    if (!isPaid) {
      isPaid = true;
      await spendOwn(world, { from: address, to: STRANGER, amountRaw: 1n });
      await settleAll(world);
    }
    return await deps.db.write(unit);
  };
  const db = Object.create(deps.db, { write: { value: write } });
  await assert.rejects(
    resumeWallet({ ...deps, db }, { ...BY, address }),
    /^OperatorError: More was read meanwhile of what 0x\w{40} sent: try again/,
  );
  const wallet = await deps.db.find(Addresses, ["ETH", address], "address");
  assert.match(wallet!.haltedReason!, /^The database was restored/);
  const resume = resumeWallet(deps, { ...BY, address });
  await assert.rejects(resume, /one payment that the books do not explain/);
});
