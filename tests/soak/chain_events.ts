import type { Random } from "../domain/random.ts";
import type { Reply } from "../support/nodes/anvil.ts";
import { sendTx } from "../support/nodes/contracts.ts";
import { ETHER, hex } from "../support/payers.ts";
import type { SoakWorld } from "./soak_world.ts";

/** A customer's transaction that left the chain. */
interface Orphan {
  readonly from: string;
  readonly nonce: number;
  readonly raw: string;
}

/** Events on the chain that the gateway doesn't cause. */
export interface ChainEvents {
  /** One transaction with one or more payments to these. */
  pay(addresses: readonly string[]): Promise<void>;
  /** Reorganises this many blocks and keeps a random part of their transactions. */
  reorganise(depth: number): Promise<void>;
  /** A customer sends again what was dropped, or not. */
  resendSome(): Promise<void>;
  /** One step towards mining every nonce that a customer ever used. True: done. */
  closeNonces(): Promise<boolean>;
}

const KEPT = 0.6;
const DUST = 0.1;
const SEVERAL = 0.25;

export function chainEvents(world: SoakWorld, random: Random): ChainEvents {
  const { anvil, token, disperse, customers } = world;
  let orphans: Orphan[] = [];
  const nonceMax = new Map<string, number>();
  const noteNonce = ({ from, nonce }: { from: string; nonce: number }) =>
    nonceMax.set(from, Math.max(nonce, nonceMax.get(from) ?? 0));

  const coins = () =>
    random.chance(DUST) ? BigInt(1 + random.below(1000)) : ETHER / BigInt(2 + random.below(500));
  const tokens = () =>
    random.chance(DUST) ? BigInt(1 + random.below(1000)) : BigInt(1 + random.below(50_000_000));

  async function pay(addresses: readonly string[]): Promise<void> {
    const from = random.pick(customers);
    const to = random.pick(addresses);
    const isToken = random.chance(0.5);
    const sent = { from, isPooled: true, gas: 1_000_000 };
    if (random.chance(SEVERAL)) {
      const all = Array.from({ length: 2 + random.below(3) }, () => random.pick(addresses));
      const values = all.map(isToken ? tokens : coins);
      const valueRaw = values.reduce((sum, one) => sum + one, 0n);
      await (isToken
        ? disperse.send("token_", [token.address, all, values], sent)
        : disperse.send("ether_", [all, values], { ...sent, valueRaw }));
    } else if (isToken) await token.send("transfer", [to, tokens()], sent);
    else await sendTx(anvil, { ...sent, to, valueRaw: coins() });
  }

  async function reorganise(depth: number): Promise<void> {
    const head = Number(await anvil.rpc("eth_blockNumber"));
    const kept: [string, number][] = [];
    const cut = new Set<string>();
    let place = 0;
    for (let height = head - depth + 1; height <= head; height++) {
      const { transactions } = await anvil.rpc("eth_getBlockByNumber", [hex(height), true]);
      for (const { hash, from, nonce } of transactions as Reply[]) {
        const raw = await anvil.rpc("eth_getRawTransactionByHash", [hash]);
        if (customers.includes(from)) noteNonce({ from, nonce: Number(nonce) });
        // After a dropped transaction, later ones of the same sender aren't valid.
        if (cut.has(from) || !random.chance(KEPT)) {
          cut.add(from);
          if (customers.includes(from)) orphans.push({ from, nonce: Number(nonce), raw });
          continue;
        }
        place = Math.max(place, random.below(depth));
        kept.push([raw, place]);
      }
    }
    await anvil.rpc("anvil_reorg", [depth, kept]);
  }

  async function resendSome(): Promise<void> {
    const again = orphans.filter(() => random.chance(0.5));
    orphans = orphans.filter((one) => !again.includes(one));
    // Another of the same nonce may have been mined or sent since.
    for (const { raw } of again) await anvil.rpc("eth_sendRawTransaction", [raw]).catch(() => {});
  }

  async function closeNonces(): Promise<boolean> {
    await resendSome();
    let isDone = true;
    for (const from of customers) {
      const used = Number(await anvil.rpc("eth_getTransactionCount", [from, "latest"]));
      if (used > (nonceMax.get(from) ?? -1)) continue;
      isDone = false;
      if (orphans.some((one) => one.from === from && one.nonce === used)) continue;
      const tx = { from, to: from, value: "0x0", nonce: hex(used) };
      await anvil.rpc("eth_sendTransaction", [tx]).catch(() => {});
    }
    return isDone;
  }

  return { pay, reorganise, resendSome, closeNonces };
}
