import type { Deps } from "../../../src/deps/deps.ts";
import { rateOf } from "../../../src/rates/current.ts";
import { addSource } from "../../../src/rates/manage.ts";
import type { NewSource } from "../../../src/rates/sources/kinds.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import type { Clock } from "../../../src/base/clock.ts";
import { createPageReader, type PageReader } from "../../../src/webhooks/post/read_page.ts";
import { makePlace } from "../../support/database/database.ts";

export const PAIR = { base: "ETH", quote: "USD" };
export const IN_REAL = { ...PAIR, world: "real" } as const;

interface TestClock extends Clock {
  ms: number;
}

/** Gateways on one database, with a clock of the test and without workers. */
export interface Priced extends AsyncDisposable {
  readonly clock: TestClock;
  readonly deps: Deps;
  /** Another program on the same database. */
  open(): Promise<Deps>;
  add(source: NewSource): Promise<number>;
  /** What an ETH is worth in USD. */
  value(deps?: Deps): Promise<string | null>;
}

export async function makePriced(
  { startMs = 1_767_225_600_000, pages }: { startMs?: number; pages?: PageReader } = {},
): Promise<Priced> {
  const place = await makePlace({ isMigrated: true });
  const clock = { ms: startMs, nowMs: () => clock.ms };
  const closing: (() => Promise<void>)[] = [];
  const open = async () => {
    const env = { CPG_LOG_LEVEL: "silent", CPG_WEBHOOK_ALLOW_PRIVATE: "true" };
    const gateway = await openGateway(readConfig({ ...place.env, ...env }), { clock });
    closing.push(gateway.close);
    return { ...gateway.deps, ...pages && { pages } };
  };
  const deps = await open();
  return {
    ...{ clock, deps, open },
    add: async (source) => (await addSource(deps, { ...source, actor: "test" })).id,
    value: async (on = deps) => (await rateOf(on, IN_REAL))?.value ?? null,
    [Symbol.asyncDispose]: async () => {
      for (const close of closing) await close();
      await place.remove();
    },
  };
}

export function manual(value: string, pair = PAIR): NewSource {
  return { ...pair, kind: "manual", value };
}

/** A host of the internet that is a server of the test. */
interface Host extends AsyncDisposable {
  /** For `makePriced`. */
  readonly pages: PageReader;
  /** The paths that it was asked for. */
  readonly asked: string[];
  /** From now on, to whatever it is asked. */
  answer(text: string, status?: number): void;
}

export function startHost(origin: string): Host {
  const said = { text: "", status: 404 };
  const asked: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    const { pathname, search } = new URL(url);
    asked.push(pathname + search);
    return new Response(said.text, { status: said.status });
  });
  const here = `http://127.0.0.1:${server.addr.port}`;
  // However busy the machine is.
  const reader = createPageReader({ isPrivateAllowed: true, timeoutMs: 60_000 });
  const hereOf = (url: string) =>
    url.startsWith(`${origin}/`) ? here + url.slice(origin.length) : url;
  return {
    pages: { ...reader, read: (url) => reader.read(hereOf(url)) },
    asked,
    answer: (text, status = 200) => void Object.assign(said, { text, status }),
    [Symbol.asyncDispose]: async () => {
      reader.close();
      await server.shutdown();
    },
  };
}
