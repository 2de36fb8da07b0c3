import { mapInPortions, SMALL_ITEMS } from "../../base/waiting/in_portions.ts";
import { outpointOf } from "../../domain/outpoint.ts";
import type { MadeOutput, SpentOutput } from "../outputs.ts";
import type { Transfer } from "../read_block.ts";
import { addressOfScript } from "./addresses.ts";
import type { BitcoinTransaction } from "./bytes/transaction.ts";
import type { BitcoinNetwork } from "./params.ts";

export interface Payment {
  readonly tx: BitcoinTransaction;
  readonly position: number;
  readonly address: string;
  readonly amountRaw: bigint;
}

/** P2WPKH, and P2SH, which a merchant's own wallet may use: in hex, with how long they are. */
const OURS: readonly (readonly [start: string, chars: number])[] = [["0014", 44], ["a914", 46]];

/** Only to what may be ours. */
export async function paymentsOf(
  transactions: readonly BitcoinTransaction[],
  network: BitcoinNetwork,
): Promise<Payment[]> {
  const found = await mapInPortions(
    transactions,
    (tx) =>
      tx.outputs.flatMap(({ script, valueRaw: amountRaw }, position): Payment[] => {
        const isLike = OURS.some(([start, chars]) =>
          script.length === chars && script.startsWith(start)
        );
        const address = isLike ? addressOfScript(script, network) : undefined;
        return address === undefined ? [] : [{ tx, position, address, amountRaw }];
      }),
    SMALL_ITEMS,
  );
  return found.flat();
}

/** Of one payment. Whoever joins thousands of inputs waits until its block for their fate. */
const INPUTS_MAX = 100;

/** What these transactions spend, up to so many. */
export function inputsOf(transactions: readonly BitcoinTransaction[]): SpentOutput[] {
  const inputs: SpentOutput[] = [];
  for (const tx of transactions) {
    for (const { txid: txHash, vout: position } of tx.inputs) {
      if (inputs.length === INPUTS_MAX) return inputs;
      inputs.push({ outpoint: outpointOf({ txHash, position }), spender: tx.txid });
    }
  }
  return inputs;
}

/** Payers are many or unknown, unless it is one of our own wallets. */
export function transferOf(
  output: MadeOutput,
  { sender, inputs }: { sender: string; inputs: readonly SpentOutput[] },
): Transfer {
  const { txHash, position, address: to, amountRaw, maturesAt } = output;
  const transfer = { txHash, position, contract: null, from: sender, to, amountRaw, sender };
  return { ...transfer, senderNonce: 0, inputs, ...maturesAt === null ? {} : { maturesAt } };
}
