import type { Way } from "./ways.ts";

/** What a sweep usually takes, the first one of its address and later ones. */
interface Usual {
  readonly first: number;
  readonly again: number;
}

/** Of a family of chains, by how sweeps go. */
export interface UsualSweeps {
  /** Besides "single". */
  readonly alternative: Exclude<Way, "single">;
  /** Coins, in base units, where prices are voted on and seldom change. */
  readonly unit: "gas" | "coins";
  /** Sending gas to an address that a token shall leave by itself. */
  readonly gasSent: number;
  /** A transaction that sweeps share, beside what each of them takes. */
  readonly shared: number;
  readonly tokens: Readonly<Partial<Record<Way, Usual>>>;
  /** Null: they can only be swept one by one. */
  readonly coins: Readonly<Partial<Record<Way, Usual>>> | null;
  /** What the gas wallet pays besides sweeps. */
  readonly besides: string;
}

interface Sweeps {
  readonly way: Way;
  readonly isCoin: boolean;
  readonly sweeps: number;
  /** Of them. */
  readonly firstSweeps: number;
  /** How many they need if they share transactions. */
  readonly transactions: number;
}

/** Without the gas that was sent for them. */
export function usuallyTaken(
  usual: UsualSweeps,
  { way, isCoin, sweeps, firstSweeps, transactions }: Sweeps,
): number {
  const each = (isCoin ? usual.coins : usual.tokens)?.[way];
  if (!each) return 0;
  const shared = way === "batch" ? transactions * usual.shared : 0;
  return shared + firstSweeps * each.first + (sweeps - firstSweeps) * each.again;
}
