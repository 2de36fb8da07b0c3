import { toHex } from "../../../base/bytes.ts";
import type { BlockAt } from "../../chain.ts";
import { NodeError } from "../../faults.ts";
import { outpointOf } from "../../../domain/outpoint.ts";
import type { MadeOutput } from "../../outputs.ts";
import type { SentBatch, SentBytes, SentPayment } from "../../sent_bytes.ts";
import { addressOfScript } from "../addresses.ts";
import { type BitcoinTransaction, readTransaction } from "../bytes/transaction.ts";
import type { BitcoinNetwork } from "../params.ts";
import type { Wallets } from "./prepare.ts";

/** Nodes without an index find a transaction in the block that is named. */
export async function readSentBytes(
  { pool, network, code, book }: Wallets,
  txHash: string,
  block: BlockAt | undefined,
): Promise<SentBytes> {
  const { bytes, tx } = await pool.read(async (node) => {
    const [bytes] = await node.rawTransactions([txHash], block?.hash);
    if (!bytes) throw new NodeError(`${node.host} does not show ${txHash}`);
    const tx = readTransaction(bytes, network);
    if (tx?.txid !== txHash) throw new NodeError(`${node.host} showed another one for ${txHash}`);
    return { bytes, tx };
  });
  const inputs = tx.inputs.map(({ txid, vout }) => outpointOf({ txHash: txid, position: vout }));
  const own = new Map(
    (await book.at({ network: code, outpoints: inputs })).map((one) => [outpointOf(one), one]),
  );
  const spent = inputs.flatMap((outpoint) => own.get(outpoint) ?? []);
  const [first] = spent;
  if (!first) throw new NodeError(`${txHash} spends nothing that the books know`);
  const sender = first.address;
  const payment = paymentOf(tx, { sender, network });
  const isGathered = spent.length === inputs.length && tx.outputs.length === 1;
  return {
    ...{ txHash, sender, nonce: 0 },
    raw: toHex(bytes),
    payment,
    ...payment && isGathered ? { batch: gatheredFrom(spent, payment.to) } : {},
  };
}

/** Each address gave all that was spent of it; the fee comes out of what arrives. */
function gatheredFrom(spent: readonly MadeOutput[], to: string): SentBatch {
  const orders = [...Map.groupBy(spent, ({ address }) => address)].map(([from, outputs]) => ({
    ...{ from, to, contract: null },
    amountRaw: outputs.reduce((sum, { amountRaw }) => sum + amountRaw, 0n),
  }));
  return { collector: null, orders, authorizations: [] };
}

/** What isn't change. Nothing for anybody else: all of it went back. */
function paymentOf(
  { outputs }: BitcoinTransaction,
  { sender, network }: { sender: string; network: BitcoinNetwork },
): SentPayment | null {
  const paid = outputs
    .map(({ script, valueRaw }) => ({ to: addressOfScript(script, network), amountRaw: valueRaw }))
    .filter(({ to }) => to !== sender);
  const [one, ...others] = paid;
  if (!one) return { to: sender, contract: null, amountRaw: 0n };
  if (others.length > 0 || one.to === undefined) return null;
  return { to: one.to, contract: null, amountRaw: one.amountRaw };
}
