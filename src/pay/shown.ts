import type { Fees } from "./offers.ts";
import type { CoinChoice, Order } from "./order.ts";
import type { Language, Say } from "./texts/texts.ts";

export interface Shown {
  readonly order: Order;
  readonly say: Say;
  readonly language: Language;
  /** A coin's id; null, or another coin's: nothing was chosen. */
  readonly chosen: string | null;
  /** The order's coins, the likeliest first. */
  readonly choices: readonly CoinChoice[];
  readonly fees: Fees;
  /** Of the amount, in a fiat currency; null: it is in one, or nobody asks for it, or knows. */
  readonly worth: string | null;
  /** In the demo only. */
  readonly hasDemoWallet: boolean;
  /** Changes with everything that the page shows. */
  readonly version: string;
}
