import { present } from "../../../base/assert.ts";
import type { Entry } from "../account.ts";
import type { Block } from "../blocks.ts";
import type { Chain } from "../chain.ts";
import type { State } from "../ledger.ts";

/** What one API shows: `wallet` up to the head and the pool, `walletsolidity` only solid blocks. */
export interface View {
  readonly height: number;
  readonly state: State<Entry>;
  readonly isPoolSeen: boolean;
  block(number: number): Block | undefined;
}

/** `lag`: a node that is that many blocks behind, and knows no pool. */
export function walletView(chain: Chain, lag: number): View {
  const height = Math.max(0, chain.head.number - lag);
  return {
    height,
    state: lag === 0 ? chain.ledger : chain.stateAt(height),
    isPoolSeen: lag === 0,
    block: (number) => number <= height ? chain.block(number) : undefined,
  };
}

export function solidView(chain: Chain, lag: number): View {
  const height = Math.min(chain.solidNumber, Math.max(0, chain.head.number - lag));
  return {
    height,
    state: chain.stateAt(height),
    isPoolSeen: false,
    block: (number) => number <= height ? chain.block(number) : undefined,
  };
}

export function topOf(view: View): Block {
  return present(view.block(view.height), "A view ends at a block");
}
