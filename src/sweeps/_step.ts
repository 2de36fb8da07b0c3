import { InvariantError } from "../base/assert.ts";
import type { SweepReason } from "../books/move_sweep.ts";
import { NotSignedYet } from "../books/stopped.ts";
import type { Chain } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import type { NetworkRow } from "../networks/table.ts";
import { LATER_MS, SOON_MS } from "./_waits.ts";
import { postpone } from "./steps.ts";
import type { SweepRow } from "./table.ts";
import { AlreadyMoved } from "../transfers/save_signed.ts";

/** What many sweeps are doing together, each with its own end. */
export class Step {
  readonly chain: Chain;
  /** Bugs, and what isn't about one sweep. They are thrown when all others are done. */
  readonly errors: unknown[] = [];
  readonly #known = new Map<string, Promise<unknown>>();

  constructor(readonly deps: Deps, readonly network: NetworkRow) {
    this.chain = deps.chains.of(network);
  }

  /** What is the same for several sweeps is looked up for the first of them. */
  once<T>(key: string, look: () => Promise<T>): Promise<T> {
    return this.#known.getOrInsertComputed(key, look) as Promise<T>;
  }

  /** Those for which the work leaves something to do. What fails waits, and only that. */
  async each<Item extends SweepRow | { readonly sweep: SweepRow }, Result>(
    items: readonly Item[],
    work: (item: Item) => Promise<Result | undefined>,
  ): Promise<Result[]> {
    const results = await Promise.all(items.map(async (item) => {
      try {
        return await work(item);
      } catch (error) {
        await this.#failed("sweep" in item ? item.sweep : item, error);
        return undefined;
      }
    }));
    return results.filter((result) => result !== undefined);
  }

  /** A bug is told only after the sweep was put off, or it would take its place in every round. */
  async #failed(sweep: SweepRow, error: unknown): Promise<void> {
    if (error instanceof AlreadyMoved || error instanceof NotSignedYet) return;
    const wait = waitAfter(error);
    if (!wait || error instanceof InvariantError) this.errors.push(error);
    if (!wait) return;
    try {
      await postpone(this.deps, { sweep, ...wait });
    } catch (fault) {
      this.errors.push(fault);
    }
  }
}

function waitAfter(error: unknown): SweepReason & { readonly forMs: number } | undefined {
  if (error instanceof CannotPay) {
    return { code: "refused", reason: error.message, forMs: SOON_MS };
  }
  if (error instanceof NodeError) {
    return { code: "not_answered", reason: error.message, forMs: SOON_MS };
  }
  if (!(error instanceof InvariantError)) return undefined;
  return { code: "refused", reason: `a bug of the program: ${error.message}`, forMs: LATER_MS };
}
