import { invariant } from "../../base/assert.ts";
import { NodeError, UnfitNode } from "../faults.ts";
import type { EndpointHealth } from "../health.ts";
import { understood } from "./asking/understood.ts";
import { AskedForBlocks, doubtedIfMissing } from "./asking/doubts.ts";
import type { Followed } from "./branches.ts";
import type { Lane } from "./pace.ts";
import { answerOf, type EndpointAnswer, isAnswer, silenceOf } from "./asking/answers.ts";
import { inquire } from "./asking/inquiry.ts";
import { allFailed, firstSuccess } from "./asking/race.ts";
import { type Answered, takeSurvey } from "./asking/survey.ts";
import { type Ask, Endpoint, type EndpointOptions } from "./endpoint.ts";
import type { Named, Protocol } from "./protocol.ts";
import type { ExpectedIdentity } from "./shown_identity.ts";

export interface Endpoints<N> {
  /** The whole question goes to one node. After a NodeError it starts over on the next one. */
  read<T>(ask: (node: N, newest?: Newest) => Promise<T>, need?: Need): Promise<T>;
  /**
   * Asks every node and collects their answers. Stops early once `until` holds; silent nodes are
   * not waited for if others answer.
   */
  each<T>(ask: Ask<N, T>, options?: Each<T>): Promise<EndpointAnswer<T>[]>;
}

/** The newest block that an endpoint has shown. */
export interface Newest {
  readonly height: number;
  readonly seenAtMs: number;
}

export interface Need {
  /** Nodes that have reached this height are asked first. */
  readonly height?: number;
  readonly lane?: Lane;
}

export interface Each<T> {
  readonly until?: (answer: EndpointAnswer<T>) => boolean;
  /** No node is asked twice, and no request is cancelled. */
  readonly isSentOnce?: boolean;
}

interface SurveyOptions<N extends Named, T> {
  readonly isPatient?: boolean;
  readonly until?: (answers: readonly Answered<N, T>[]) => boolean;
}

export interface PoolOptions<N extends Named> extends EndpointOptions {
  readonly protocol: Protocol<N>;
  readonly rpcUrls: readonly string[];
  readonly quorum: number;
}

const TRIES_MAX = 3;
const HEDGE_AFTER_MS: Readonly<Record<Lane, number>> = { urgent: 1_000, bulk: 5_000 };
const CONTRADICTED_FOR_MS = 600_000;

/** The endpoints of one network. Any of them may be dead, slow, behind or lying. */
export class Pool<N extends Named> implements Endpoints<N> {
  readonly protocol: Protocol<N>;
  readonly quorum: number;
  readonly expected: ExpectedIdentity | undefined;
  readonly endpoints: readonly Endpoint<N>[];
  followed: Followed | undefined;
  readonly #options: PoolOptions<N>;
  #sticky: Endpoint<N> | undefined;

  constructor(options: PoolOptions<N>) {
    const { rpcUrls, quorum, expected, protocol } = options;
    invariant(rpcUrls.length > 0, "A network needs at least one node URL");
    this.protocol = protocol;
    this.quorum = quorum;
    this.expected = expected;
    this.#options = options;
    this.endpoints = rpcUrls.map((url) => new Endpoint(url, options));
  }

  async read<T>(
    question: (node: N, newest?: Newest) => Promise<T>,
    { height, lane = "urgent" }: Need = {},
  ): Promise<T> {
    const { candidate, value } = await firstSuccess(this.#ranked(height).slice(0, TRIES_MAX), {
      attempt: async (endpoint, signal) => {
        const { clock, log, expected } = this.#options;
        const from = { host: endpoint.host, expected, log };
        const ask = (node: N) => question(node, newestOf(endpoint));
        const asked = understood(endpoint.ask(ask, { lane, signal }), from);
        return height === undefined
          ? await asked
          : await doubtedIfMissing(asked, { endpoint, height, clock });
      },
      lateness: (endpoint, signal) =>
        Promise.race([
          this.#options.sleep(HEDGE_AFTER_MS[lane], signal),
          ...lane === "bulk" ? [endpoint.untilSilent(signal)] : [],
        ]),
    }).catch((error) => {
      throw error instanceof NodeError && this.#isNoneRight()
        ? allFailed([...this.#unfit(), error])
        : error;
    });
    this.#sticky = candidate;
    return value;
  }

  async each<T>(
    ask: Ask<N, T>,
    { until = () => false, isSentOnce = false }: Each<T> = {},
  ): Promise<EndpointAnswer<T>[]> {
    const asked = this.#usable();
    const wereHealthy = new Set(asked.filter((endpoint) => endpoint.isHealthy()));
    const { values, silent } = await inquire(asked, {
      attempt: async (endpoint, signal) => {
        const use = isSentOnce ? { isSentOnce } : { signal };
        return { endpoint, answer: await answerOf(endpoint.host, endpoint.ask(ask, use)) };
      },
      silence: (endpoint, signal) => endpoint.untilSilent(signal),
      missing: (got) => got.some(({ answer }) => until(answer)) ? 0 : asked.length - got.length,
      hasAnswer: (got) => got.some(({ answer }) => isAnswer(answer)),
    });
    const answers = new Map(values.map(({ endpoint, answer }) => [endpoint, answer]));
    for (const it of silent) answers.set(it, silenceOf(it.host, wereHealthy.has(it)));
    // A request may have been accepted even by a node that is found unfit meanwhile.
    const counts = (it: Endpoint<N>, answer: EndpointAnswer<T>) =>
      isSentOnce ? answer.ok || !(answer.error instanceof UnfitNode) : !it.unfitness();
    const right = [...answers].filter(([it, answer]) => counts(it, answer));
    if (right.length === 0) throw this.#noneUsable();
    return right.map(([, answer]) => answer);
  }

  /**
   * A small question to all. Only healthy endpoints are waited for, and others until there are as
   * many answers as the quorum, or until what is wanted holds.
   */
  async survey<T>(
    ask: (node: N, endpoint: Endpoint<N>) => Promise<T>,
    { isPatient = false, until }: SurveyOptions<N, T> = {},
  ): Promise<Answered<N, T>[]> {
    const least = Math.min(this.quorum, this.endpoints.length);
    return await takeSurvey(this.endpoints, {
      ...this.#options,
      ask,
      enough: isPatient ? this.endpoints.length : this.quorum,
      until: until ?? ((answers) => answers.length >= least),
      isThorough: until !== undefined,
    });
  }

  /** Answers of as many endpoints as needed, best first, and at least the quorum. */
  async several<T>(
    ask: (node: N, endpoint: Endpoint<N>) => Promise<T>,
    { height, missing }: { height: number; missing: (values: readonly T[]) => number },
  ): Promise<{ values: readonly T[]; errors: readonly NodeError[] }> {
    const { clock } = this.#options;
    const blocks = new AskedForBlocks<N>(this.#options);
    return await inquire(this.#ranked(height), {
      attempt: (endpoint, signal) => {
        const asked = endpoint.ask((node) => ask(node, endpoint), { lane: "bulk", signal });
        return blocks.run(endpoint, doubtedIfMissing(asked, { endpoint, height, clock }));
      },
      silence: (endpoint, signal) => endpoint.untilSilent(signal),
      lateness: (endpoint, signal) =>
        blocks.untilLate(endpoint, { ms: HEDGE_AFTER_MS.bulk, signal }),
      missing,
      hasAnswer: (values) => values.length >= this.quorum,
    });
  }

  /** Before their chain is known. */
  async strangers<T>(ask: Ask<N, T>): Promise<EndpointAnswer<T>[]> {
    const { values, silent } = await inquire(this.endpoints, {
      attempt: (it) => answerOf(it.host, it.askStranger(ask)),
      silence: (it, signal) => it.untilSilent(signal),
      missing: (got) => this.endpoints.length - got.length,
      hasAnswer: (got) => got.some(isAnswer),
    });
    return [...values, ...silent.map(({ host }) => silenceOf<T>(host, false))];
  }

  /** In the operator's order. */
  health(isTracing: (host: string) => boolean | null): EndpointHealth[] {
    return this.endpoints.map((it) => {
      const health = it.health();
      const isReachable = health.isReachable && !this.isContradicted(it);
      return { ...health, isReachable, isTracing: isTracing(it.host) };
    });
  }

  nowMs(): number {
    return this.#options.clock.nowMs();
  }

  /** Warns once, and again only if the condition ended in between. */
  note({ host, seen: { notes } }: Endpoint<N>, what: string, holds: boolean): void {
    if (holds && !notes.has(what)) {
      this.#options.log.warn(what, { network: this.expected?.code, host });
    }
    if (holds) notes.add(what);
    else notes.delete(what);
  }

  isContradicted({ seen }: Endpoint<N>): boolean {
    return this.#options.clock.nowMs() < seen.contradictedUntilMs;
  }

  /** The others have another chain. It is out of use until it agrees with them or they are long gone. */
  convict(endpoint: Endpoint<N>, height: number): void {
    if (!this.isContradicted(endpoint)) {
      const fields = { network: this.expected?.code, host: endpoint.host, height };
      this.#options.log.warn("endpoint contradicts the others", fields);
    }
    endpoint.seen.contradictedUntilMs = this.nowMs() + CONTRADICTED_FOR_MS;
  }

  acquit({ seen }: Endpoint<N>): void {
    seen.contradictedUntilMs = 0;
  }

  /** It announced a head, then couldn't serve the blocks up to it. */
  isClaimDoubted({ seen }: Endpoint<N>): boolean {
    return this.#options.clock.nowMs() < seen.claimDoubtedUntilMs;
  }

  #unfit(): UnfitNode[] {
    return this.endpoints.flatMap((it) => it.unfitness() ?? []);
  }

  #isNoneRight(): boolean {
    return this.#unfit().length > 0 && !this.endpoints.some((it) => it.hasShownChain);
  }

  /** Without unfit and contradicted ones. */
  #usable(): Endpoint<N>[] {
    const usable = this.endpoints.filter((it) => !it.unfitness() && !this.isContradicted(it));
    if (usable.length === 0) throw this.#noneUsable();
    return usable;
  }

  #noneUsable(): NodeError {
    const unfit = this.#unfit();
    if (unfit.length > 0) return allFailed(unfit);
    const hosts = this.endpoints.map(({ host }) => host).join(", ");
    return new NodeError(`Only endpoints are left that others contradicted: ${hosts}`);
  }

  /** Best first. */
  #ranked(height = (this.followed?.height ?? 0) - 1): Endpoint<N>[] {
    const worth = (it: Endpoint<N>) =>
      8 * Number(it.isHealthy() && it.seen.lateUntilMs <= this.nowMs()) +
      4 * Number(it.seen.outvotedUntilMs <= this.nowMs()) +
      2 * Number((it.seen.head?.height ?? -1) >= height) +
      Number(it === this.#sticky);
    return this.#usable().toSorted((a, b) => worth(b) - worth(a));
  }
}

function newestOf<N extends Named>({ seen }: Endpoint<N>): Newest | undefined {
  return seen.head && { height: seen.head.height, seenAtMs: seen.headSeenAtMs };
}
