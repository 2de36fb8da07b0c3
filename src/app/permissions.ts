import { ENV_NAMES } from "./config/config.ts";

/** How to start the program with what deno.json allows; undefined if it was. */
export function permissionHint(args: readonly string[]): string | undefined {
  const mayRead = ENV_NAMES.every((variable) =>
    Deno.permissions.querySync({ name: "env", variable }).state === "granted"
  );
  if (mayRead) return undefined;
  const [name = "serve"] = args;
  const task = name === "demo" ? "demo" : name === "serve" ? "start" : `cpg ${name}`;
  const set = name === "demo" ? "-P=demo" : name === "serve" ? "-P" : "-P=cpg";
  return `This program needs the permissions that deno.json lists: use "deno task ${task}", ` +
    `or "deno run ${set} main.ts ${name}"`;
}
