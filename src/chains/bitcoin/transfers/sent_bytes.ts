import { toHex } from "../../../base/bytes.ts";
import type { BlockAt } from "../../chain.ts";
import { NodeError } from "../../faults.ts";
import { outpointOf } from "../../../domain/outpoint.ts";
import type { MadeOutput } from "../../outputs.ts";
import type { SentBatch, SentBytes, SentOrder, SentPayment } from "../../sent_bytes.ts";
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
  const isAllOurs = spent.length === inputs.length;
  const paid = paidTo(tx, { sender, network });
  const payment = paymentOf(paid, sender);
  const batch = payment && isAllOurs && tx.outputs.length === 1
    ? gatheredFrom(spent, payment.to)
    : isAllOurs && spent.every(({ address }) => address === sender)
    ? severalOf(paid, sender)
    : undefined;
  return { txHash, sender, nonce: 0, raw: toHex(bytes), payment, ...batch && { batch } };
}

/** Each address gave all that was spent of it; the fee comes out of what arrives. */
function gatheredFrom(spent: readonly MadeOutput[], to: string): SentBatch {
  const orders = [...Map.groupBy(spent, ({ address }) => address)].map(([from, outputs]) => ({
    ...{ from, to, contract: null },
    amountRaw: outputs.reduce((sum, { amountRaw }) => sum + amountRaw, 0n),
  }));
  return { collector: null, orders, authorizations: [] };
}

/** What isn't change. */
function paidTo(
  { outputs }: BitcoinTransaction,
  { sender, network }: { sender: string; network: BitcoinNetwork },
) {
  return outputs.map(({ script, valueRaw: amountRaw }, output) => {
    const to = addressOfScript(script, network);
    return { to, amountRaw, output };
  }).filter(({ to }) => to !== sender);
}

type Paid = ReturnType<typeof paidTo>;

/** Nothing for anybody else: all of it went back. */
function paymentOf([one, ...others]: Paid, sender: string): SentPayment | null {
  if (!one) return { to: sender, contract: null, amountRaw: 0n };
  if (others.length > 0 || one.to === undefined) return null;
  return { to: one.to, contract: null, amountRaw: one.amountRaw };
}

function severalOf(paid: Paid, from: string): SentBatch | undefined {
  const orders = paid.flatMap(({ to, ...one }): SentOrder[] =>
    to === undefined ? [] : [{ from, to, contract: null, ...one }]
  );
  // We pay nothing but addresses.
  if (orders.length < 2 || orders.length < paid.length) return undefined;
  return { collector: null, orders, authorizations: [] };
}
