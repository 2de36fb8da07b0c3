import config from "../../deno.json" with { type: "json" };
import type { LoadOrder, LoadReport } from "./load.ts";
import { TextLineStream } from "./lines.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
/** As `deno task start` runs the program. */
export const SERVE = config.tasks.start.command.split(" ").slice(1);
/** A part of the program, run as the whole of it is. */
export const SERVE_PART = ["run", "-q", "-P=test", SERVE.find((word) => word.startsWith("--v8"))!];

export interface ServerProcess extends AsyncDisposable {
  readonly port: number;
  readonly pid: number;
  /** The first line of its output. */
  readonly greeting: string;
}

interface ProgramOrder {
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
}

/** A Deno program that prints its URL on its first line. Its log goes to a file, as a service's does. */
export async function startProgram({ args, env = {} }: ProgramOrder): Promise<ServerProcess> {
  const log = await Deno.makeTempFile({ prefix: "cpg-bench-log-" });
  const child = new Deno.Command("sh", {
    args: ["-c", 'log="$1"; shift; exec "$0" "$@" 2>"$log"', Deno.execPath(), log, ...args],
    cwd: ROOT,
    env,
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream());
  for await (const line of lines.values({ preventCancel: true })) {
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (!port) continue;
    return {
      port: Number(port),
      pid: child.pid,
      greeting: line,
      [Symbol.asyncDispose]: async () => {
        child.kill("SIGKILL");
        await child.status;
        await lines.cancel().catch(() => {});
        await Deno.remove(log);
      },
    };
  }
  throw new Error(`${args.join(" ")} did not start: ${await Deno.readTextFile(log)}`);
}

/** A program that takes orders on its input. */
export interface Helper<Order, Report> extends AsyncDisposable {
  run(order: Order): Promise<Report>;
}

export function startLoad(): Helper<LoadOrder, LoadReport> {
  const load = startHelper<LoadOrder, LoadReport>("load.ts");
  return {
    ...load,
    run: async (order) => {
      const report = await load.run(order);
      if (report.failed > 0) {
        throw new Error(`${report.failed} of ${report.requests} answers to ${order.target} failed`);
      }
      return report;
    },
  };
}

export function startHelper<Order, Report>(
  program: string,
  env: Record<string, string> = {},
): Helper<Order, Report> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-q", "-P=test", new URL(program, import.meta.url).pathname],
    cwd: ROOT,
    env,
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const orders = child.stdin.getWriter();
  const reports = child.stdout.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream()).getReader();
  return {
    run: async (order) => {
      await orders.write(new TextEncoder().encode(`${JSON.stringify(order)}\n`));
      const { value } = await reports.read();
      if (value === undefined) throw new Error(`${program} died`);
      return JSON.parse(value);
    },
    [Symbol.asyncDispose]: async () => {
      await orders.close();
      await reports.cancel();
      await child.status;
    },
  };
}
