import { lookup } from "node:dns/promises";
import { Lru } from "../../base/lru.ts";
import { Slots } from "../../base/waiting/slots.ts";

export type Resolve = (host: string) => Promise<readonly string[]>;
export type ResolveFor = (host: string, owner: number) => Promise<readonly string[]>;

const SLOW_AFTER_MS = 1_000;
const QUICK = { quickMax: 8, slowMax: 8, ownerMax: 6 };
const SLOW = { quickMax: 4, slowMax: 0, ownerMax: 2 };
const SLOW_REMEMBERED = 10_000;

/**
 * The system looks names up on the 32 threads that also check signatures, and blocks one for as
 * long as no name server answers. So only a few look-ups run at once, and names that were slow
 * before wait among themselves. An account asks once for a name. It never waits for another
 * account's question, which may be behind many that nobody answers.
 */
export function boundedLookups(
  resolve: Resolve = bySystem,
  { slowAfterMs = SLOW_AFTER_MS } = {},
): ResolveFor {
  const [quick, slow] = [QUICK, SLOW].map((limits) => new Slots({ ...limits, slowAfterMs }));
  const underWay = new Map<string, ReturnType<Resolve>>();
  const slowHosts = new Lru<string, boolean>(SLOW_REMEMBERED);

  async function timed(host: string): Promise<readonly string[]> {
    const startedAtMs = performance.now();
    try {
      return await resolve(host);
    } finally {
      slowHosts.set(host, performance.now() - startedAtMs > slowAfterMs);
    }
  }

  return (host, owner) => {
    const asked = `${owner} ${host}`;
    return underWay.getOrInsertComputed(
      asked,
      () =>
        (slowHosts.get(host) ? slow! : quick!).run(owner, () => timed(host))
          .finally(() => underWay.delete(asked)),
    );
  };
}

async function bySystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
