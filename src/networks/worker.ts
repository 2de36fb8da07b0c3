import type { Metrics } from "../base/metrics.ts";
import { Running } from "../base/waiting/running.ts";
import type { Deps } from "../deps/deps.ts";
import { type NetworkRow, Networks } from "./table.ts";
import { measureOutputs } from "../outputs/measure.ts";
import { reconcileNetwork } from "../reconcile/reconcile.ts";
import { takeLoansBack } from "../energy/lend.ts";
import { takeUnstakedBack } from "../energy/stake.ts";
import { fillHotWallets } from "../transfers/fill_hot_wallets.ts";
import { doAll, doJob, type JobHolder } from "../upkeep/leases.ts";
import { measureWallets } from "../wallets/measure.ts";
import { createFailures, type Failures } from "../workers/failures.ts";

type Step = (
  deps: Deps,
  order: { readonly network: NetworkRow; readonly metrics: Metrics },
) => Promise<void>;

/** What asks nodes and can wait for new blocks. */
const STEPS: readonly Step[] = [
  measureWallets,
  measureOutputs,
  fillHotWallets,
  takeUnstakedBack,
  takeLoansBack,
  reconcileNetwork,
];

/** Also on a network that is switched off: its sweeps go on, and what was lent for them is ours. */
const ALWAYS: readonly Step[] = [takeUnstakedBack, takeLoansBack];

/** Each network has rounds of its own, so a slow node delays no other network. */
export class NetworkKeeper {
  readonly #running = new Running();
  readonly #failures = new Map<string, Failures>();

  constructor(readonly deps: Deps, readonly metrics: Metrics, readonly jobs: JobHolder) {}

  /** Starts a round of every network whose last one has ended. */
  async look(): Promise<void> {
    const { networks } = await this.deps.catalog.current();
    for (const { code } of networks) {
      if (!this.#running.has(code)) this.#running.start(code, () => this.#keep(code));
    }
  }

  /** Resolves when no network has a round in progress. */
  idle(): Promise<void> {
    return this.#running.idle();
  }

  /** As the network is set now: the step before may have taken minutes. */
  async #do(step: Step, { own, code }: { own: Deps; code: string }): Promise<void> {
    const network = (await own.catalog.current()).network(code);
    if (!network) return;
    // One that somebody else wrote counts as off, and its nodes aren't ours.
    const mayBeOff = ALWAYS.includes(step) && own.db.isGenuine(Networks, network);
    if (network.isActive || mayBeOff) await step(own, { network, metrics: this.metrics });
  }

  async #keep(code: string): Promise<void> {
    const job = { job: "keep network", network: code };
    const failures = this.#failures.getOrInsertComputed(
      code,
      () => createFailures(job, this.deps),
    );
    try {
      await doJob(
        this.jobs,
        job,
        (own) => doAll(STEPS.map((step) => () => this.#do(step, { own, code }))),
      );
      failures.end();
    } catch (error) {
      failures.report(error);
    }
  }
}
