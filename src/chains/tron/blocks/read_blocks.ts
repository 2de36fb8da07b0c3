import { zip } from "../../../base/lists.ts";
import { invariant, present } from "../../../base/assert.ts";
import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import type { HeightRange, ReadBlock, Spend, Transfer, Watch } from "../../chain.ts";
import { TracesMissing } from "../../faults.ts";
import { movesFrom } from "../../token_moves.ts";
import { encodeAddress, hexOfAddress } from "../address.ts";
import type { TronBlock, TronTransaction } from "./decode_block.ts";
import type { History } from "./history.ts";
import type { InnerProof } from "./inner_proof.ts";
import type { TronNode } from "../node.ts";
import { hasSucceeded, type Payment, paymentsOf } from "./payments.ts";
import { scanBlocks } from "./scan_blocks.ts";
import { readTransferLogs } from "../trc20.ts";

/** The number of requests depends on what the blocks contain, never on how many addresses we own. */
export async function readBlocks(
  node: TronNode,
  { range, watch, proof, history }: {
    range: HeightRange;
    watch: Watch;
    proof: InnerProof;
    history: History;
  },
): Promise<ReadBlock[]> {
  invariant(0 <= range.from && range.from <= range.to, `No range: ${range.from}..${range.to}`);
  const blocks = await scanBlocks(node, range);
  history.note(blocks);
  if (!watch.traces) proof.note(node, blocks);
  if (watch.traces && !await proof.holds(node, blocks)) {
    const message = `${node.host} has never reported a payment by a contract`;
    throw new TracesMissing(message, { cause: undefined, isForgotten: false });
  }
  const contracts = new Set(watch.contracts.map(hexOfAddress));
  const found = blocks.map(({ txs }) =>
    txs.map((tx) => ({ tx, payments: paymentsOf(tx, { contracts, traces: watch.traces }) }))
  );
  const touched = new Set(
    found.flat().flatMap(({ tx, payments }) => [
      ...tx.raw.owner === null ? [] : [tx.raw.owner],
      ...payments.map(({ to }) => to),
    ]),
  );
  const owned = await ownedOf(watch, touched);
  return zip(blocks, found).map(([block, seen]) => ({
    ref: refOf(block),
    atMs: block.header.atMs,
    transfers: seen.flatMap(({ tx, payments }) =>
      payments.filter(({ to }) => owned.has(to)).map((payment) => transferOf(tx, payment))
    ),
    spends: seen.filter(({ tx }) => owned.has(tx.raw.owner ?? ""))
      .map(({ tx }) => spendOf(tx)),
    paidRaw: null,
  }));
}

/** In hex, as in blocks. */
async function ownedOf(watch: Watch, touched: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  const owned = await watch.owned(await mapInPortions([...touched], encodeAddress));
  return new Set([...owned].map(hexOfAddress));
}

function refOf({ header: { height, hash, parentHash } }: TronBlock): ReadBlock["ref"] {
  return { height, hash, parentHash };
}

/** A transaction without an owner counts as the payer's. */
function transferOf({ txHash, raw }: TronTransaction, payment: Payment): Transfer {
  const { position, contract, from, to, amountRaw } = payment;
  return {
    txHash,
    position,
    contract: contract === null ? null : encodeAddress(contract),
    from: encodeAddress(from),
    to: encodeAddress(to),
    amountRaw,
    sender: encodeAddress(raw.owner ?? from),
    senderNonce: raw.expirationMs,
  };
}

function spendOf(tx: TronTransaction): Spend {
  const { txHash, raw, info } = tx;
  const owner = present(raw.owner, "Who spends signs");
  return {
    txHash,
    from: encodeAddress(owner),
    nonce: raw.expirationMs,
    succeeded: hasSucceeded(tx),
    feeRaw: info.feeRaw,
    tokenMoves: movesFrom(owner, readTransferLogs(info.logs)).map((move) => ({
      contract: encodeAddress(move.contract),
      from: encodeAddress(move.from),
      to: encodeAddress(move.to),
      amountRaw: move.amountRaw,
    })),
  };
}
