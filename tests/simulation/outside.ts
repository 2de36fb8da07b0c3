import type { Random } from "./random.ts";
import { asNobody, currentLife, type SimulatedTime } from "./time.ts";

export type Fetch = (request: Request) => Promise<Response>;

type Handler = (request: Request, remoteIp: string) => Response | Promise<Response>;

/** The machine as a simulated program sees it: its clock, its timers, its dice and its network. */
export interface Outside {
  readonly time: SimulatedTime;
  readonly random: Random;
  /** By host name and port. */
  readonly hosts: Map<string, Fetch>;
  /** What listens now, by port. */
  readonly listeners: Map<number, Handler>;
  /**
   * As systems that save power do, long timers end together, at the next multiple of this. 1: each
   * at its own time.
   */
  timersEveryMs: number;
  /** Timers that can be stopped. */
  readonly timers: Map<unknown, () => void>;
  /** By a program's name: which answers its line to the internet loses now, by what it asked. */
  readonly cutLines: Map<string, (asked: string) => boolean>;
}

/** Shorter timers end at their own time everywhere. */
const TOGETHER_FROM_MS = 50;

/**
 * Puts the simulated machine in the place of the real one, for good: this process simulates and does
 * nothing else. It must run before any module of the program that keeps a function of the system.
 */
export function replaceMachine(current: () => Outside): void {
  const time = () => current().time;
  replaceTimers(current);
  replaceClocks(time);
  replaceDice(() => current().random);
  replaceThreads(time);
  replaceNetwork(current);
}

function replaceTimers(current: () => Outside): void {
  const time = () => current().time;
  const waitMs = (ms: number) => {
    if (ms < TOGETHER_FROM_MS) return ms;
    const { time: { elapsedMs }, timersEveryMs: every } = current();
    return Math.ceil((elapsedMs + ms) / every) * every - elapsedMs;
  };
  let last = 0;
  const start = (ms: number, { run, again }: { run: () => void; again: boolean }) => {
    const id = ++last;
    const pending = current().timers;
    const arm = () => {
      const event = time().after(waitMs(ms), () => {
        if (again) arm();
        else pending.delete(id);
        run();
      });
      pending.set(id, () => void (event.isCancelled = true));
    };
    arm();
    return id;
  };
  const clear = (id: unknown) => {
    current().timers.get(id)?.();
    current().timers.delete(id);
  };
  // deno-lint-ignore no-explicit-any -- as the system declares them
  const timer = (again: boolean) => (run: any, ms = 0, ...args: any[]) =>
    start(Number(ms), { run: () => run(...args), again });
  Object.assign(globalThis, {
    setTimeout: timer(false),
    setInterval: timer(true),
    // deno-lint-ignore no-explicit-any -- as the system declares it
    setImmediate: (run: any, ...args: any[]) => timer(false)(run, 0, ...args),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  });
  Object.assign(Deno, { unrefTimer: () => {}, refTimer: () => {} });
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    time().after(ms, () => controller.abort(new DOMException("Signal timed out.", "TimeoutError")));
    return controller.signal;
  };
}

function replaceClocks(time: () => SimulatedTime): void {
  const RealDate = Date;
  class SimulatedDate extends RealDate {
    // deno-lint-ignore no-explicit-any -- as the system declares it
    constructor(...args: any[]) {
      super(...(args.length === 0 ? [time().nowMs] : args) as [number]);
    }
    static override now(): number {
      return time().nowMs;
    }
  }
  globalThis.Date = SimulatedDate as DateConstructor;
  performance.now = () => time().elapsedMs;
}

function replaceDice(random: () => Random): void {
  Math.random = () => random().fraction();
  Object.assign(crypto, {
    getRandomValues: <T extends ArrayBufferView>(into: T) => {
      random().fill(new Uint8Array(into.buffer, into.byteOffset, into.byteLength));
      return into;
    },
    randomUUID: () => {
      const bytes = new Uint8Array(16);
      random().fill(bytes);
      const hex = bytes.toHex();
      return [
        hex.slice(0, 8),
        hex.slice(8, 12),
        hex.slice(12, 16),
        hex.slice(16, 20),
        hex.slice(20),
      ]
        .join("-");
    },
  });
}

const FILE_CALLS = [
  "readTextFile",
  "readFile",
  "writeTextFile",
  "writeFile",
  "open",
  "stat",
  "lstat",
  "mkdir",
  "makeTempDir",
  "chmod",
  "rename",
  "remove",
] as const;

/** Hashes and signatures are computed by threads, which end in any order. */
function replaceThreads(time: () => SimulatedTime): void {
  const { subtle } = crypto;
  const names = [
    "sign",
    "verify",
    "digest",
    "encrypt",
    "decrypt",
    "importKey",
    "deriveKey",
    "deriveBits",
    "exportKey",
    "generateKey",
  ] as const;
  for (const name of names) {
    // deno-lint-ignore no-explicit-any -- each has arguments of its own
    const work = subtle[name].bind(subtle) as (...args: any[]) => Promise<unknown>;
    Object.defineProperty(subtle, name, {
      // deno-lint-ignore no-explicit-any -- each has arguments of its own
      value: (...args: any[]) => time().real(() => work(...args)),
    });
  }
  for (const name of FILE_CALLS) {
    // deno-lint-ignore no-explicit-any -- each has arguments of its own
    const work = Deno[name] as (...args: any[]) => Promise<unknown>;
    // deno-lint-ignore no-explicit-any -- each has arguments of its own
    Object.assign(Deno, { [name]: (...args: any[]) => time().real(() => work(...args)) });
  }
  const { readDirSync } = Deno;
  Object.assign(Deno, {
    readDir: async function* (path: string | URL) {
      yield* readDirSync(path);
    },
  });
}

function replaceNetwork(current: () => Outside): void {
  globalThis.fetch = async (input, init) => {
    const request = input instanceof Request && !init ? input : new Request(input, init);
    const { host } = new URL(request.url);
    const answer = current().hosts.get(host);
    if (!answer) throw new TypeError(`error sending request: nothing is known as ${host}`);
    // Whoever has given up by now asks nobody.
    request.signal.throwIfAborted();
    return await untilAborted(request.signal, elsewhere(current(), answer, request));
  };
  let port = 40_000;
  Object.assign(Deno, {
    connect: async ({ hostname, port }: { hostname: string; port: number }) => {
      const answer = current().hosts.get(`${hostname}:${port}`);
      await current().time.turn();
      if (!answer) throw new Deno.errors.ConnectionRefused("Connection refused (os error 111)");
      return simulatedConnection(current(), answer);
    },
    serve: ({ port: wanted = 0 }: { port?: number }, handle: unknown) => {
      const { listeners } = current();
      const own = wanted || port++;
      const info = (ip: string) => ({ remoteAddr: { hostname: ip, port: 1, transport: "tcp" } });
      const call = handle as (request: Request, info: unknown) => Promise<Response>;
      listeners.set(own, (request, ip) => call(request, info(ip)));
      const stop = () => void listeners.delete(own);
      currentLife()?.atEnd(stop);
      return {
        addr: { hostname: "127.0.0.1", port: own, transport: "tcp" },
        finished: new Promise(() => {}),
        shutdown: () => Promise.resolve(stop()),
      };
    },
  });
}

/** Others live on when who asked them dies, and their answer reaches nobody then. */
function elsewhere(outside: Outside, answer: Fetch, request: Request): Promise<Response> {
  const { time, cutLines } = outside;
  const asking = currentLife();
  const isLost = (asked: string) =>
    asking !== undefined && !isNear(request) && cutLines.get(asking.name)?.(asked);
  const lost = new TypeError("error reading a body from connection");
  return new Promise((resolve, reject) => {
    asNobody(async () => {
      const asked = cutLines.size === 0 ? "" : `${request.url} ${await request.clone().text()}`;
      return { response: await answer(request), asked };
    }).then(
      ({ response, asked }) =>
        time.handOver(asking, () => isLost(asked) ? reject(lost) : resolve(response)),
      (error) => time.handOver(asking, () => reject(error)),
    );
  });
}

/** The database stands beside the programs. */
function isNear({ url }: Request): boolean {
  return new URL(url).hostname === "database.test";
}

async function untilAborted<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  answer.catch(() => {});
  try {
    return await Promise.race([answer, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** A connection to a server that understands one request at a time, which is all that is sent. */
function simulatedConnection(outside: Outside, answer: Fetch) {
  let asked = new Uint8Array(0);
  let ready = Promise.withResolvers<Uint8Array | null>();
  let rest: Uint8Array | null | undefined;
  return {
    setNoDelay: () => {},
    close: () => ready.resolve(null),
    write: (bytes: Uint8Array) => {
      const all = new Uint8Array(asked.length + bytes.length);
      all.set(asked);
      all.set(bytes, asked.length);
      asked = all;
      const request = readRequest(asked);
      if (request) {
        asked = new Uint8Array(0);
        elsewhere(outside, answer, request).then(writeResponse)
          .then(ready.resolve, () => ready.resolve(null));
      }
      return Promise.resolve(bytes.length);
    },
    read: async (into: Uint8Array) => {
      rest ??= await ready.promise;
      if (!rest) return null;
      const length = Math.min(into.length, rest.length);
      into.set(rest.subarray(0, length));
      rest = rest.subarray(length);
      if (rest.length === 0) {
        rest = undefined;
        ready = Promise.withResolvers();
      }
      return length;
    },
  };
}

/** Undefined until all of it is there. */
function readRequest(bytes: Uint8Array): Request | undefined {
  const text = new TextDecoder("latin1").decode(bytes);
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const at = line.indexOf(":");
      return [line.slice(0, at), line.slice(at + 1).trim()];
    }),
  );
  const length = Number(headers.get("content-length") ?? 0);
  if (bytes.length < end + 4 + length) return undefined;
  const [method = "", target] = first.split(" ");
  return new Request(`http://${headers.get("host")}${target}`, {
    method,
    headers,
    ...method === "GET" ? {} : { body: bytes.slice(end + 4, end + 4 + length) },
  });
}

async function writeResponse(response: Response): Promise<Uint8Array> {
  const body = await response.text();
  const retry = response.headers.get("retry-after");
  const head = `HTTP/1.1 ${response.status} Simulated\r\ncontent-length: ${body.length}\r\n` +
    (retry === null ? "" : `retry-after: ${retry}\r\n`);
  return new TextEncoder().encode(`${head}\r\n${body}`);
}
