import type { Order } from "./order.ts";
import type { Language, Say } from "./texts/texts.ts";

export interface Shown {
  readonly order: Order;
  readonly say: Say;
  readonly language: Language;
  /** A coin's id; null, or another coin's: nothing was chosen. */
  readonly chosen: string | null;
  /** In the demo only. */
  readonly hasDemoWallet: boolean;
  /** Changes with everything that the page shows. */
  readonly version: string;
}
