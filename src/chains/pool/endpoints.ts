import { invariant } from "../../base/assert.ts";
import { NodeError, type WrongChain } from "../chain.ts";
import type { Followed } from "./_branches.ts";
import type { Lane } from "./_pace.ts";
import { allFailed, firstSuccess } from "./_race.ts";
import { type Answered, takeSurvey } from "./_survey.ts";
import { type Ask, Endpoint, type EndpointOptions } from "./endpoint.ts";
import type { Named, Protocol } from "./protocol.ts";
import type { ExpectedIdentity } from "./shown_identity.ts";

/** Which node is asked. */
export interface Endpoints<N> {
  /** The whole question goes to one node; after a NodeError it starts over on the next one. */
  read<T>(ask: Ask<N, T>, need?: Need): Promise<T>;
  /** Every node on its own, and what each made of it; once `until` holds, without the late ones. */
  each<T>(ask: Ask<N, T>, options?: Until<T>): Promise<EndpointAnswer<T>[]>;
}

export interface Need {
  /** Nodes that have got as far are asked first. */
  readonly height?: number;
  readonly lane?: Lane;
}

export interface Until<T> {
  readonly until: (answer: EndpointAnswer<T>) => boolean;
}

export type EndpointAnswer<T> =
  | { readonly host: string; readonly ok: true; readonly value: T }
  | { readonly host: string; readonly ok: false; readonly error: NodeError };

export interface PoolOptions<N extends Named> extends EndpointOptions {
  readonly protocol: Protocol<N>;
  readonly rpcUrls: readonly string[];
  readonly quorum: number;
}

const TRIES_MAX = 3;
const HEDGE_AFTER_MS: Readonly<Record<Lane, number>> = { urgent: 1_000, bulk: 5_000 };
const CONTRADICTED_FOR_MS = 600_000;
const CLAIM_DOUBTED_FOR_MS = 30_000;

/** The endpoints of one network, any of which may be dead, slow, behind or lying. */
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

  async read<T>(ask: Ask<N, T>, { height, lane = "urgent" }: Need = {}): Promise<T> {
    const { candidate, value } = await firstSuccess(this.#ranked(height).slice(0, TRIES_MAX), {
      attempt: async (endpoint, signal) => {
        const asked = endpoint.ask(ask, { lane, signal });
        return height === undefined ? await asked : await this.#claimed(endpoint, height, asked);
      },
      hedgeAfterMs: HEDGE_AFTER_MS[lane],
      sleep: this.#options.sleep,
    }).catch((error) => {
      throw error instanceof NodeError && this.#isNoneRight()
        ? allFailed([...this.#wrong(), error])
        : error;
    });
    this.#sticky = candidate;
    return value;
  }

  async each<T>(
    ask: Ask<N, T>,
    { until }: Until<T> = { until: () => false },
  ): Promise<EndpointAnswer<T>[]> {
    const asked = this.#usable();
    const answers: EndpointAnswer<T>[] = [];
    const enough = Promise.withResolvers<void>();
    const all = Promise.all(asked.map(async (endpoint, i) => {
      const answer = await answerOf(endpoint.host, endpoint.ask(ask));
      answers[i] = answer;
      if (until(answer)) enough.resolve();
    }));
    await Promise.race([all, enough.promise]);
    const right = answers.filter((_, i) => asked[i]!.wrongChain() === undefined);
    if (right.length === 0) throw this.#noneUsable();
    return right;
  }

  /** A small question to all, which waits for those only that are in good health. */
  async survey<T>(
    ask: (node: N, endpoint: Endpoint<N>) => Promise<T>,
    { isPatient = false } = {},
  ): Promise<Answered<N, T>[]> {
    const enough = isPatient ? this.endpoints.length : this.quorum;
    return await takeSurvey(this.endpoints, { ...this.#options, ask, enough });
  }

  /** What as many endpoints as the quorum answer alike, by `likeness`. */
  async agreed<T>(
    ask: Ask<N, T>,
    { height, likeness }: { height: number; likeness: (value: T) => string },
  ): Promise<T> {
    const waiting = this.#ranked(height);
    const errors: NodeError[] = [];
    const sides = new Map<string, { value: T; size: number }>();
    const largest = () => Math.max(0, ...[...sides.values()].map(({ size }) => size));
    while (largest() < this.quorum && waiting.length > 0) {
      const asked = waiting.splice(0, this.quorum - largest()).map(async (endpoint) => {
        const answer = endpoint.ask(ask, { lane: "bulk" });
        return await answerOf(endpoint.host, this.#claimed(endpoint, height, answer));
      });
      for (const answer of await Promise.all(asked)) {
        if (!answer.ok) errors.push(answer.error);
        else {
          const like = likeness(answer.value);
          const side = sides.get(like) ?? { value: answer.value, size: 0 };
          sides.set(like, { ...side, size: side.size + 1 });
        }
      }
    }
    const found = [...sides.values()].find(({ size }) => size >= this.quorum);
    if (found) return found.value;
    const told = errors.map((error) => `; ${error.message}`).join("");
    const text =
      `${this.quorum} endpoints must agree about block ${height}, ${largest()} do${told}`;
    throw new NodeError(text, { cause: errors });
  }

  /** Before any chain is expected of them. */
  async strangers<T>(ask: Ask<N, T>): Promise<EndpointAnswer<T>[]> {
    return await Promise.all(
      this.endpoints.map((it) => answerOf(it.host, it.askStranger(ask))),
    );
  }

  isContradicted({ seen }: Endpoint<N>): boolean {
    return this.#options.clock.nowMs() < seen.contradictedUntilMs;
  }

  /** Others have another chain: out of use until it agrees with them, or they are long gone. */
  convict(endpoint: Endpoint<N>, height: number): void {
    const { clock, log } = this.#options;
    if (!this.isContradicted(endpoint)) {
      const network = this.expected?.code;
      log.warn("endpoint contradicts the others", { network, host: endpoint.host, height });
    }
    endpoint.seen.contradictedUntilMs = clock.nowMs() + CONTRADICTED_FOR_MS;
  }

  acquit({ seen }: Endpoint<N>): void {
    seen.contradictedUntilMs = 0;
  }

  /** It told a head and then could not give the blocks up to it. */
  isClaimDoubted({ seen }: Endpoint<N>): boolean {
    return this.#options.clock.nowMs() < seen.claimDoubtedUntilMs;
  }

  async #claimed<T>({ seen }: Endpoint<N>, height: number, asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      const isClaimed = (seen.head?.height ?? -1) >= height;
      // A plain one: what the node said of the blocks, not trouble on the way or a service it lacks.
      if (isClaimed && error instanceof NodeError && error.name === "NodeError") {
        seen.claimDoubtedUntilMs = this.#options.clock.nowMs() + CLAIM_DOUBTED_FOR_MS;
      }
      throw error;
    }
  }

  #wrong(): WrongChain[] {
    return this.endpoints.flatMap((it) => it.wrongChain() ?? []);
  }

  #isNoneRight(): boolean {
    return this.#wrong().length > 0 && !this.endpoints.some((it) => it.hasShownChain);
  }

  /** Without those whose answers must not count. */
  #usable(): Endpoint<N>[] {
    const usable = this.endpoints.filter((it) => !it.wrongChain() && !this.isContradicted(it));
    if (usable.length === 0) throw this.#noneUsable();
    return usable;
  }

  #noneUsable(): NodeError {
    const wrong = this.#wrong();
    if (wrong.length > 0) return allFailed(wrong);
    const hosts = this.endpoints.map(({ host }) => host).join(", ");
    return new NodeError(`Only endpoints are left that others contradicted: ${hosts}`);
  }

  /** Best first. */
  #ranked(height = (this.followed?.height ?? 0) - 1): Endpoint<N>[] {
    const worth = (it: Endpoint<N>) =>
      4 * Number(it.isWell()) + 2 * Number((it.seen.head?.height ?? -1) >= height) +
      Number(it === this.#sticky);
    return this.#usable().toSorted((a, b) => worth(b) - worth(a));
  }
}

async function answerOf<T>(host: string, asked: Promise<T>): Promise<EndpointAnswer<T>> {
  try {
    return { host, ok: true, value: await asked };
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return { host, ok: false, error };
  }
}
