import type { Chain, ReadBlock } from "../chains/chain.ts";
import type { Db } from "../store/engine/db.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

export interface OwnedBlocks {
  readonly blocks: ReadBlock[];
  /** All of our addresses that they touch, from one look-up. */
  readonly owned: Map<string, AddressRow>;
}

/** Blocks being read while those before them are recorded. */
export interface Ahead {
  /** A job that was lost and taken again has a new one. */
  readonly db: Db;
  readonly chain: Chain;
  readonly from: number;
  /** A later configuration may watch more than this reading did. */
  readonly configVersion: number;
  readonly reading: Promise<OwnedBlocks>;
}
