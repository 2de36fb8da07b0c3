import { ENV_NAMES } from "./config/config.ts";

/** The task of each command that has its own, and the permissions that it takes. */
const STARTS: Readonly<Record<string, readonly [task: string, set: string]>> = {
  serve: ["start", "-P"],
  demo: ["demo", "-P=demo"],
  "install-service": ["install-service", "-P=service"],
};

/** How to start the program with what deno.json allows; undefined if it was. */
export function permissionHint(args: readonly string[]): string | undefined {
  const mayRead = ENV_NAMES.every((variable) =>
    Deno.permissions.querySync({ name: "env", variable }).state === "granted"
  );
  if (mayRead) return undefined;
  const [name = "serve"] = args;
  const [task, set] = STARTS[name] ?? [`cpg ${name}`, "-P=cpg"];
  return `This program needs the permissions that deno.json lists: use "deno task ${task}", ` +
    `or "deno run ${set} main.ts ${name}"`;
}
