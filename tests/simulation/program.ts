import { systemClock } from "../../src/base/clock.ts";
import { createLog } from "../../src/base/log.ts";
import type { Story } from "./story.ts";
import { Life, type SimulatedTime } from "./time.ts";
import type { Fetch, Outside } from "./outside.ts";
import { serve, type Serving } from "../../src/app/serve.ts";
import type { Env } from "../../src/app/config/variables.ts";
import { testConfig } from "../support/gateway.ts";

const MINUTE_MS = 60_000;

/** One gateway process of the simulation, which can be killed and started again. */
export class Program {
  readonly name: string;
  readonly port: number;
  readonly #outside: Outside;
  readonly #env: () => Env;
  #life: Life | undefined;
  #serving: Serving | undefined;
  #isReady = false;
  /** Answers that somebody waits for; a killed program's connections are reset. */
  readonly #waiting = new Set<(reason: Error) => void>();
  readonly #log: (line: string) => void;

  constructor(
    outside: Outside,
    { name, port, env, log }: {
      name: string;
      port: number;
      env: () => Env;
      log: (line: string) => void;
    },
  ) {
    this.#outside = outside;
    this.name = name;
    this.port = port;
    this.#env = env;
    this.#log = log;
    outside.hosts.set(this.host, this.#answer);
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get life(): Life | undefined {
    return this.#life;
  }

  /** Resolves once it serves, or rejects with the reason why it can't. */
  async start(): Promise<void> {
    const life = this.#life = new Life(this.name);
    const started = Promise.withResolvers<void>();
    life.atEnd(() => started.reject(new Error("It was killed while it started")));
    life.run(async () => {
      const config = testConfig({ ...this.#env(), CPG_PORT: String(this.port) });
      const log = simulatedLog(this.#log);
      this.#serving = await this.#outside.time.withLoading(() =>
        serve({ ...config, connections: null, log })
      );
      // As the crons do.
      const { tickers } = this.#serving;
      setInterval(() => {
        for (const ticker of Object.values(tickers)) void ticker.keepAlive();
      }, MINUTE_MS);
      this.#isReady = true;
    }).then(started.resolve, started.reject);
    await started.promise;
  }

  /** Until it serves. */
  async startAgain({ time, story }: { time: SimulatedTime; story: Story }): Promise<void> {
    for (;;) {
      try {
        await this.start();
        story.tell(`${this.name} serves again`);
        return;
      } catch (error) {
        story.tell(`${this.name} can't start: ${error}`);
        this.kill();
        await time.sleep(5_000);
      }
    }
  }

  /** As by `kill -9`: no further line of it runs. */
  kill(): void {
    this.#isReady = false;
    this.#life?.end();
    this.#life = undefined;
    this.#serving = undefined;
    for (const reset of this.#waiting) reset(new TypeError("connection reset by peer"));
    this.#waiting.clear();
  }

  /** As by SIGTERM. */
  async stop(): Promise<void> {
    const serving = this.#serving;
    this.#isReady = false;
    await this.#life?.run(() => serving?.stop());
    this.kill();
  }

  readonly #answer: Fetch = (request) => {
    const handle = this.#outside.listeners.get(this.port);
    const life = this.#life;
    if (!handle || !life) return Promise.reject(new TypeError("connection refused"));
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    this.#waiting.add(reject);
    life.run(async () => {
      if (life.asleepUntilMs > 0) await this.#outside.time.turn();
      const response = await handle(request, "203.0.113.7");
      const { status, headers } = response;
      const body = await response.text();
      return new Response(body === "" ? null : body, { status, headers });
    }).then(resolve, reject).finally(() => this.#waiting.delete(reject));
    return promise;
  };
}

function simulatedLog(write: (line: string) => void) {
  return createLog({ level: "warn", clock: systemClock, write: (line) => write(line()) });
}
