import { first, zip } from "../base/lists.ts";
import type { ChainGathering, GatheredPart, GatherOrder } from "../chains/gathering.ts";
import { outpointOf } from "../domain/outpoint.ts";
import type { PreparedTransfer } from "../chains/transfer.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import { Amount } from "../domain/money/amount.ts";
import { readAll } from "../store/engine/workspace.ts";
import { inWords, priceFor } from "../transfers/preflight.ts";
import { sendTransfer } from "../transfers/send.ts";
import { signTransfer } from "../transfers/sign.ts";
import { signersOf } from "../wallets/addresses.ts";
import { withoutTampered } from "./_genuine.ts";
import { waitAfter } from "./_move_money.ts";
import type { Step } from "./_step.ts";
import { isWorthIt, type Sweeping } from "./_sweeping.ts";
import { dustWaitMs, LATER_MS } from "./_waits.ts";
import { claimSweep, withCompany, without } from "./batches.ts";
import { postpone } from "./steps.ts";
import { Sweeps } from "./table.ts";

interface Gathering {
  readonly step: Step;
  readonly gathering: ChainGathering;
}

/**
 * Moves the outputs of due sweeps, each account's in a transaction of its own to its own wallet,
 * whose fee they share. Nobody sends gas.
 */
export async function gatherDeposits(
  step: Step,
  { gathering, sweepings }: { gathering: ChainGathering; sweepings: readonly Sweeping[] },
): Promise<void> {
  const accounts = Map.groupBy(sweepings, ({ sweep, to }) => `${sweep.accountId}/${to}`);
  await Promise.all([...accounts.values()].map(async (own) => {
    const ready = fitting(await withCompany(step, own), gathering);
    if (ready.length > 0) await gatherGenuine({ step, gathering }, ready);
  }));
}

/** The others follow in the next step, and so does what is too much of one address. */
function fitting(
  sweepings: readonly Sweeping[],
  { outputsMax }: ChainGathering,
): readonly Sweeping[] {
  let room = outputsMax;
  return sweepings.flatMap((one) => {
    const parts = one.deposits.length > outputsMax ? [cutTo(one, outputsMax)] : [one];
    return parts.filter(({ deposits }) => {
      if (deposits.length > room) return false;
      room -= deposits.length;
      return true;
    });
  });
}

function cutTo({ deposits, orphans, amount, ...sweeping }: Sweeping, count: number): Sweeping {
  const taken = deposits.slice(0, count);
  const sum = taken.reduce(
    (all, row) => all.plus(Amount.parse(row.amount, amount.asset)),
    Amount.zero(amount.asset),
  );
  const left = deposits.slice(count);
  return { ...sweeping, deposits: taken, orphans: [...orphans, ...left], amount: sum };
}

/** What can't be signed with the others is looked at alone, so that its own fault is told. */
async function gatherGenuine(
  { step, gathering }: Gathering,
  sweepings: readonly Sweeping[],
): Promise<void> {
  try {
    const work = (left: readonly Sweeping[]) => gatherThese({ step, gathering }, left);
    const { tampered } = await withoutTampered(sweepings, work);
    await step.each(tampered, (one) => gatherThese({ step, gathering }, [one]));
  } catch (error) {
    await step.each(sweepings, () => Promise.reject(error));
  }
}

/** Leaves out what isn't there, or costs too much, and moves the rest. */
async function gatherThese(
  { step, gathering }: Gathering,
  sweepings: readonly Sweeping[],
): Promise<undefined> {
  const { deps, network, chain } = step;
  let left = sweepings;
  while (left.length > 0) {
    const { to } = first(left);
    const price = await step.once("price", () => priceFor(deps, { network, chain }, null));
    const gathered = await gathering.prepare(left.map(orderOf), { to, price });
    if (gathered.kind === "refused") {
      const refused = await inWords(deps, { network, chain }, gathered);
      return void await step.each(left, (sweeping) => {
        const forMs = dustWaitMs(deps, sweeping.sweep);
        return waitAfter(step, { sweeping, refused, forMs }).then(() => undefined);
      });
    }
    const isOut = gathered.kind === "missing"
      ? gathered.areMissing
      : zip(left, gathered.parts).map(([one, { feeRaw }]) =>
        !isWorthIt(network, { ...one, costAtMostRaw: feeRaw })
      );
    const isWhole = !isOut.includes(true);
    if (gathered.kind === "ready" && isWhole) {
      return void await signAndSend(step, { taken: left, ...gathered });
    }
    const out = left.filter((_, i) => isWhole || isOut[i]);
    await step.each(out, gathered.kind === "missing" ? isMissing(step) : isTooMuch(step));
    left = without(left, out);
  }
}

/** Exactly the outputs of its deposits. */
function orderOf({ address, deposits }: Sweeping): GatherOrder {
  return { from: address.address, outpoints: deposits.map(outpointOf) };
}

function isMissing({ deps }: Step) {
  return async ({ sweep, address: { address }, amount }: Sweeping): Promise<undefined> => {
    const reason = `${address} no longer holds the outputs of ${amount}`;
    await postpone(deps, { sweep, code: "moved_before", reason, forMs: LATER_MS });
  };
}

function isTooMuch({ deps }: Step) {
  return async ({ sweep, amount }: Sweeping): Promise<undefined> => {
    const reason = `moving ${amount} would cost too much of it now`;
    await postpone(deps, { sweep, code: "not_worth_it", reason, forMs: dustWaitMs(deps, sweep) });
  };
}

interface Taken {
  readonly taken: readonly Sweeping[];
  readonly prepared: PreparedTransfer;
  readonly parts: readonly GatheredPart[];
}

/** The first address is the sender. Saved before it is sent, and sent again like any other. */
async function signAndSend(
  { deps, network, chain }: Step,
  { taken, prepared, parts }: Taken,
): Promise<void> {
  const addresses = taken.map(({ address }) => address);
  const rows = taken.flatMap(({ deposits, orphans }) => [...deposits, ...orphans]);
  const { tx } = await signTransfer(deps, {
    network,
    wallet: first(addresses),
    chain,
    prepared,
    authorizers: await signersOf(deps, { network, rows: addresses }),
    payments: zip(taken, parts).map(([{ sweep, address: holder, to }, { amountRaw }]) => ({
      purpose: "sweep",
      sweepId: sweep.id,
      part: { holder, from: holder.address, to, contract: null, amountRaw },
    })),
    reads: [
      ...readAll(Sweeps, taken.map(({ sweep }) => [sweep.id])),
      ...readAll(Transactions, rows.map(({ id }) => [id])),
    ],
    claim: (view, signed) => {
      const nowMs = deps.clock.nowMs();
      for (const [sweeping, payment] of zip(taken, signed.payments)) {
        claimSweep(view, { sweeping, tx: signed.tx, payment, nowMs });
      }
    },
  });
  const result = await sendTransfer(deps, { chain, tx });
  const fields = { network: network.code, tx_hash: tx.txHash, sweeps: taken.length, result };
  deps.log.info("deposits swept together", fields);
}
