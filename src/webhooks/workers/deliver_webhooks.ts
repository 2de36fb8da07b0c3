import { leaseEndpoints, releaseEndpoints } from "../lease.ts";
import type { Deps } from "../../deps/deps.ts";
import { randomToken } from "../../base/bytes.ts";
import type { Metrics } from "../../base/metrics.ts";
import { Events } from "../tables/events.ts";
import { dueEndpointIds } from "../reads/due.ts";
import type { WebhookEndpointRow } from "../tables/webhooks.ts";
import { Gather } from "../../workers/gather.ts";
import { Slots } from "../../base/waiting/slots.ts";
import { type Answer, WebhookLane } from "./_webhook_lane.ts";

const SLOTS = { quickMax: 128, slowMax: 256, slowAfterMs: 2_000, ownerMax: 128 };
/** A commit costs about the same for one answer as for many, so answers wait briefly for each other. */
const RECORDED_AT_ONCE = { most: 256, withinMs: 50 };

/** Each endpoint has its own lane, so a slow or dead one delays no other. */
export class WebhookDeliverer {
  readonly #owner = randomToken(12);
  readonly #stopping = new AbortController();
  readonly #slots = new Slots(SLOTS);
  readonly #answers = new Gather<Answer>(recordByLane, RECORDED_AT_ONCE);
  readonly #lanes = new Map<number, { lane: WebhookLane; done: Promise<void> }>();
  readonly #leased = new Set<number>();
  #looking: Promise<void> | undefined;
  #isAskedAgain = false;
  #unwatch = () => {};

  constructor(readonly deps: Deps, readonly metrics: Metrics) {}

  /** Looks once for due deliveries and sends them in the background. */
  look(): Promise<void> {
    this.#isAskedAgain = true;
    return this.#looking ??= this.#lookOn().finally(() => this.#looking = undefined);
  }

  /** Looks after each commit of this process that wrote an event. */
  watch(): void {
    const { db, log } = this.deps;
    this.#unwatch = db.onInsert(Events, () => {
      this.look().catch((error) => log.error("webhooks are not looked for", { error }));
    });
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) {
      await Promise.all([...this.#lanes.values()].map(({ done }) => done));
    }
  }

  /** Sends nothing more, waits for what is being sent, and gives up its leases. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unwatch();
    for (const { lane } of this.#lanes.values()) lane.wake();
    await this.#looking?.catch(() => {});
    await this.idle();
    const ids = [...this.#leased];
    if (ids.length === 0) return;
    // On a full disk they stay leased until that ends by itself; the stop goes on.
    await releaseEndpoints(this.deps, { ids, owner: this.#owner }).catch(() => {});
  }

  async #lookOn(): Promise<void> {
    const { deps } = this;
    while (this.#isAskedAgain && !this.#stopping.signal.aborted) {
      this.#isAskedAgain = false;
      const ids = await dueEndpointIds(deps.db, deps.clock.nowMs());
      for (const id of ids) this.#lanes.get(id)?.lane.wake();
      const idle = ids.filter((id) => !this.#lanes.has(id));
      if (idle.length === 0) continue;
      const leased = await leaseEndpoints(deps, { ids: idle, owner: this.#owner });
      for (const endpoint of leased) this.#start(endpoint);
    }
  }

  #start(endpoint: WebhookEndpointRow): void {
    const { deps, metrics } = this;
    const lane = new WebhookLane(endpoint, {
      deps,
      owner: this.#owner,
      slots: this.#slots,
      signal: this.#stopping.signal,
      answers: this.#answers,
      onResult: (result) => metrics.count("cpg_webhook_attempts_total", { result }),
    });
    const done = lane.run()
      .catch((error) =>
        deps.log.error("webhooks are not delivered", { webhook_id: endpoint.id, error })
      )
      .finally(() => this.#lanes.delete(endpoint.id));
    this.#lanes.set(endpoint.id, { lane, done });
    this.#leased.add(endpoint.id);
  }
}

/** One unit per endpoint; units submitted together are committed together. */
function recordByLane(answers: readonly Answer[]): void {
  for (const [lane, own] of Map.groupBy(answers, (answer) => answer.lane)) {
    void lane.record(own.map(({ report }) => report));
  }
}
