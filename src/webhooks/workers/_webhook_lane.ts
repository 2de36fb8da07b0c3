import { zip } from "../../base/lists.ts";
import { LEASE_MS, leaseEndpoints } from "../lease.ts";
import { type AttemptReport, type AttemptResult, recordAttempts } from "../record_attempts.ts";
import { isGenuine, reportTampered } from "../../books/tampered.ts";
import { tampered } from "../../store/engine/tampered_row.ts";
import { openSigningKeys, sendSigned, type SigningKeys } from "../signing.ts";
import type { Deps } from "../../deps/deps.ts";
import { FAILURES_TO_PAUSE } from "../rules/webhook_schedule.ts";
import { type EventRow, Events } from "../tables/events.ts";
import { dueDeliveries } from "../reads/due.ts";
import type { WebhookEndpointRow } from "../tables/webhooks.ts";
import type { Attempt } from "../post/send.ts";
import type { Gather } from "../../workers/gather.ts";
import { type Slots, Wake } from "../../base/waiting/slots.ts";

const PAGE = 256;
const WINDOW_START = 4;
const WINDOW_MAX = 16;
/** Being sent, or answered but not recorded yet. */
const BUSY_MAX = 768;
/** Nothing is sent on a lease that could expire before the answer. */
const LEASE_LEFT_MIN_MS = 12_000;

const FORGED: Attempt = {
  status: null,
  error: "the event is not as this gateway wrote it",
  response: null,
  retryAfter: null,
  latencyMs: 0,
};

interface LaneOptions {
  readonly deps: Deps;
  readonly owner: string;
  readonly slots: Slots;
  readonly signal: AbortSignal;
  /** Collects the answers of all lanes, to be passed to `record`. */
  readonly answers: Gather<Answer>;
  onResult(result: AttemptResult): void;
}

export interface Answer {
  readonly lane: WebhookLane;
  readonly report: AttemptReport;
}

/** Sends what is due to one endpoint, for as long as there is something and it accepts it. */
export class WebhookLane {
  readonly #options: LaneOptions;
  #endpoint: WebhookEndpointRow;
  #window: number;
  #sending = 0;
  readonly #busy = new Set<number>();
  readonly #wake = new Wake();
  #keys: { readonly row: WebhookEndpointRow; readonly opened: SigningKeys } | undefined;

  constructor(endpoint: WebhookEndpointRow, options: LaneOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#window = endpoint.failures >= FAILURES_TO_PAUSE ? 1 : WINDOW_START;
  }

  /** Something may be due, or there may be room again. */
  wake(): void {
    this.#wake.fire();
  }

  async run(): Promise<void> {
    try {
      while (this.#isOpen() && await this.#hasLease()) {
        const page = await this.#nextPage();
        if (page.length > 0) await this.#sendPage(page);
        else if (this.#busy.size === 0) return;
        else await this.#wake.wait();
      }
    } finally {
      while (this.#busy.size > 0) await this.#wake.wait();
    }
  }

  #isOpen(): boolean {
    const { disabledAtMs, pausedUntilMs } = this.#endpoint;
    const { signal, deps } = this.#options;
    return !signal.aborted && disabledAtMs === null && pausedUntilMs <= deps.clock.nowMs();
  }

  #leaseLeftMs(): number {
    return this.#endpoint.leaseUntilMs - this.#options.deps.clock.nowMs();
  }

  /** Renewed long before it expires; secrets and address may have changed by then too. */
  async #hasLease(): Promise<boolean> {
    if (this.#leaseLeftMs() >= (LEASE_MS + LEASE_LEFT_MIN_MS) / 2) return true;
    const { deps, owner } = this.#options;
    const [row] = await leaseEndpoints(deps, { ids: [this.#endpoint.id], owner });
    if (row) this.#endpoint = row;
    return row !== undefined;
  }

  async #nextPage(): Promise<EventRow[]> {
    const { db, clock } = this.#options.deps;
    const limit = Math.min(PAGE, BUSY_MAX - this.#busy.size);
    if (limit <= 0) return [];
    return await dueDeliveries(db, {
      endpointId: this.#endpoint.id,
      nowMs: clock.nowMs(),
      exceptEventIds: [...this.#busy],
      limit,
    });
  }

  async #sendPage(page: readonly EventRow[]): Promise<void> {
    const keys = await this.#signingKeys();
    for (const event of page) {
      while (this.#isOpen() && this.#sending >= this.#window) await this.#wake.wait();
      if (!this.#isOpen() || this.#leaseLeftMs() < LEASE_LEFT_MIN_MS) return;
      this.#sending++;
      this.#busy.add(event.id);
      void this.#deliver(event, keys);
    }
  }

  /** Opened once, and again after a rotation. */
  async #signingKeys(): Promise<SigningKeys> {
    const row = this.#endpoint;
    const known = this.#keys?.row;
    if (
      known?.secretSealed !== row.secretSealed || known.oldSecretSealed !== row.oldSecretSealed ||
      known.oldSecretUntilMs !== row.oldSecretUntilMs
    ) this.#keys = { row, opened: await openSigningKeys(this.#options.deps, row) };
    return this.#keys!.opened;
  }

  async #deliver(event: EventRow, keys: SigningKeys): Promise<void> {
    const { deps, slots } = this.#options;
    const { id: endpointId, accountId, url } = this.#endpoint;
    const { id: eventId, eventId: publicId, type } = event;
    const sent = { url, owner: accountId, id: publicId };
    try {
      const report = await slots.run(accountId, async () => ({
        eventId,
        publicId,
        type,
        endpointId,
        atMs: deps.clock.nowMs(),
        attempt: await this.#isOurs(event)
          ? await sendSigned(deps, { ...sent, keys, body: JSON.stringify(event.payload) })
          : FORGED,
      }));
      this.#answer(report);
    } catch (error) {
      deps.log.error("webhook is not sent", { webhook_id: endpointId, error });
      this.#busy.delete(eventId);
      this.#leave();
    }
  }

  /** An event that somebody else wrote, or that was written for another account, is never sent. */
  async #isOurs(event: EventRow): Promise<boolean> {
    const { deps } = this.#options;
    if (!await isGenuine(deps, Events, event)) return false;
    if (event.accountId === this.#endpoint.accountId) return true;
    await reportTampered(deps, tampered(Events, event));
    return false;
  }

  #answer(report: AttemptReport): void {
    const isTaken = report.attempt.error === null;
    this.#window = isTaken
      ? Math.min(WINDOW_MAX, this.#window + 1)
      : Math.max(1, this.#window >> 1);
    const { answers, slots } = this.#options;
    answers.add({ lane: this, report });
    // After a failure the next one waits until it is decided whether to pause the endpoint.
    if (isTaken) this.#leave();
    if (!isTaken) answers.flush();
    else if (slots.isIdle) answers.flushUnless(() => !slots.isIdle);
  }

  #leave(): void {
    this.#sending--;
    this.#wake.fire();
  }

  /** Never throws. */
  async record(reports: readonly AttemptReport[]): Promise<void> {
    const { deps } = this.#options;
    const { id: endpointId } = this.#endpoint;
    try {
      const recorded = await recordAttempts(deps, { endpointId, reports });
      zip(recorded, reports).forEach(([{ result, endpoint }, { attempt, publicId }]) => {
        if (endpoint) this.#endpoint = endpoint;
        const { status, error } = attempt;
        this.#log({ result, event_id: publicId, status, error });
      });
    } catch (error) {
      // They stay pending and are sent again: twice is better than never.
      deps.log.error("webhook attempts are not recorded", { webhook_id: endpointId, error });
    }
    for (const { eventId, attempt } of reports) {
      this.#busy.delete(eventId);
      if (attempt.error !== null) this.#sending--;
    }
    this.#wake.fire();
  }

  #log({ result, ...fields }: { result: AttemptResult; [name: string]: unknown }): void {
    const { deps, onResult } = this.#options;
    onResult(result);
    const level = result === "delivered" ? "debug" : "info";
    deps.log[level](`webhook ${result}`, { webhook_id: this.#endpoint.id, ...fields });
  }
}
