import { type Cidr, parseCidr } from "../../base/net/cidr.ts";
import type { Bytes } from "../../base/bytes.ts";
import type { ConnectionLimits } from "../../base/net/connection_book.ts";
import { LOG_LEVELS, type LogLevel } from "../../base/log.ts";
import { misspellingsOf, unknownNames } from "./names.ts";
import { databaseFaultOf, isToken, isWebAddress, readHost, shown } from "./values.ts";
import type { Windows } from "../../domain/states/deposit_request.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { parseMasterKey } from "../../keys/vault.ts";
import { DEFAULT_DATABASE_URL } from "../../store/connection/database_folder.ts";

export interface Config {
  readonly databaseUrl: string;
  readonly databaseToken: string | undefined;
  /** Undefined: read from a file beside the embedded database. */
  readonly masterKey: Bytes | undefined;
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string;
  readonly trustedProxies: readonly Cidr[];
  readonly dashboard: DashboardConfig;
  readonly windows: Windows;
  readonly isPrivateWebhookAllowed: boolean;
  readonly authFailuresPerMinute: number;
  /** Undefined: `/metrics` shows nobody amounts and accounts. */
  readonly metricsToken: string | undefined;
  /** Null: Deno Deploy in front of the program limits connections. */
  readonly connections: ConnectionLimits | null;
  /** For the whole body of a request. */
  readonly bodyTimeoutMs: number;
  readonly logLevel: LogLevel;
  readonly isWorkerOn: boolean;
  /** Variables with a value; the others have their defaults. */
  readonly given: readonly string[];
  /** One line for each unknown variable that begins with CPG_. */
  readonly unknown: readonly string[];
}

type DashboardConfig =
  | { readonly kind: "beside"; readonly url: string | undefined }
  | {
    readonly kind: "own";
    readonly host: string;
    readonly port: number;
    readonly url: string | undefined;
  }
  | { readonly kind: "off" };

export type Env = Readonly<Record<string, string | undefined>>;

/** Every variable the program reads: deno.json allows these and no others. */
export const ENV_NAMES = [
  "CPG_DATABASE_URL",
  "CPG_DATABASE_TOKEN",
  "CPG_MASTER_KEY",
  "CPG_HOST",
  "CPG_PORT",
  "CPG_PUBLIC_URL",
  "CPG_DASHBOARD_HOST",
  "CPG_DASHBOARD_PORT",
  "CPG_DASHBOARD_URL",
  "CPG_TRUSTED_PROXIES",
  "CPG_DISPLAY_WINDOW",
  "CPG_MONITORING_WINDOW",
  "CPG_REUSE_WINDOW",
  "CPG_WEBHOOK_ALLOW_PRIVATE",
  "CPG_AUTH_FAILURES_PER_MINUTE",
  "CPG_METRICS_TOKEN",
  "CPG_CONNECTIONS_MAX",
  "CPG_CONNECTIONS_PER_SOURCE_MAX",
  "CPG_HEADER_TIMEOUT",
  "CPG_BODY_TIMEOUT",
  "CPG_IDLE_TIMEOUT",
  "CPG_LOG_LEVEL",
  "CPG_WORKER",
] as const;

/** Set by Deno Deploy. */
const PLATFORM_NAMES = ["DENO_DEPLOY", "DENO_TIMELINE"] as const;

const DEFAULT_HOST = "127.0.0.1";
const WINDOW_MAX_S = 10 * 365 * 86_400;

export function readEnv(): Env {
  const names = [...ENV_NAMES, ...PLATFORM_NAMES, ...otherNames()];
  return Object.fromEntries(names.map((name) => [name, Deno.env.get(name)]));
}

/** Reading a variable without permission would stop at a prompt on a terminal. */
function otherNames(): string[] {
  if (isGranted({ name: "env" })) {
    return Object.keys(Deno.env.toObject()).filter((name) => name.startsWith("CPG_"));
  }
  return ENV_NAMES.flatMap(misspellingsOf).filter((name) =>
    isGranted({ name: "env", variable: name }) && Deno.env.get(name) !== undefined
  );
}

function isGranted(permission: Deno.EnvPermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}

/** A wrong value stops the start with one line: the variable, what is wrong, an example. */
export function readConfig(env: Env): Config {
  const host = hostOf(env, "CPG_HOST") ?? DEFAULT_HOST;
  const port = integer(env, { name: "CPG_PORT", fallback: 8080, min: 0, max: 65_535 });
  const windowMs = (name: string, fallback: number) =>
    1000 * integer(env, { name, fallback, min: 1, max: WINDOW_MAX_S });
  return {
    databaseUrl: databaseUrl(env),
    databaseToken: databaseToken(env),
    masterKey: masterKey(env),
    host,
    port,
    publicUrl: webAddress(env, "CPG_PUBLIC_URL") ??
      `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    trustedProxies: trustedProxies(env),
    dashboard: dashboard(env, host),
    windows: {
      displayMs: windowMs("CPG_DISPLAY_WINDOW", 10_800),
      monitoringMs: windowMs("CPG_MONITORING_WINDOW", 604_800),
      reuseMs: windowMs("CPG_REUSE_WINDOW", 604_800),
    },
    isPrivateWebhookAllowed: boolean(env, "CPG_WEBHOOK_ALLOW_PRIVATE", false),
    authFailuresPerMinute: integer(env, {
      name: "CPG_AUTH_FAILURES_PER_MINUTE",
      fallback: 60,
      min: 1,
      max: 1_000_000,
    }),
    metricsToken: metricsToken(env),
    connections: env.DENO_DEPLOY ? null : connectionLimits(env),
    bodyTimeoutMs: timeoutMs(env, "CPG_BODY_TIMEOUT", 20),
    logLevel: logLevel(env),
    isWorkerOn: boolean(env, "CPG_WORKER", isInCharge(env)),
    given: ENV_NAMES.filter((name) => env[name]),
    unknown: unknownNames(Object.keys(env), ENV_NAMES),
  };
}

/** Deno Deploy runs every branch as a timeline. They share a database, so only one may do the work. */
function isInCharge(env: Env): boolean {
  return !env.DENO_DEPLOY || env.DENO_TIMELINE === "production";
}

function wrong(name: string, { is, example }: { is: string; example: string }): OperatorError {
  return new OperatorError(`${name} ${is}; for example: ${name}=${example}`);
}

function databaseUrl(env: Env): string {
  const url = env.CPG_DATABASE_URL || DEFAULT_DATABASE_URL;
  const is = databaseFaultOf(url);
  if (is === undefined) return url;
  throw wrong("CPG_DATABASE_URL", { is, example: DEFAULT_DATABASE_URL });
}

function databaseToken({ CPG_DATABASE_TOKEN: token }: Env): string | undefined {
  if (!token || isToken(token)) return token || undefined;
  throw wrong("CPG_DATABASE_TOKEN", {
    is: "has a space, a line break or another character that tokens never contain",
    example: "<as the database's host shows it>",
  });
}

function hostOf(env: Env, name: "CPG_HOST" | "CPG_DASHBOARD_HOST"): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  const host = readHost(text);
  if (host !== undefined) return host;
  throw wrong(name, {
    is: `${shown(text)} is neither an IP address nor a host name`,
    example: DEFAULT_HOST,
  });
}

function metricsToken({ CPG_METRICS_TOKEN: token }: Env): string | undefined {
  if (!token || isToken(token) && /^.{16,512}$/.test(token)) return token || undefined;
  throw wrong("CPG_METRICS_TOKEN", {
    is: "is not 16 to 512 letters, digits or symbols without spaces " +
      "(make one with: openssl rand -base64 32)",
    example: "<44 base64 characters>",
  });
}

function masterKey(env: Env): Bytes | undefined {
  if (!env.CPG_MASTER_KEY) return undefined;
  const key = parseMasterKey(env.CPG_MASTER_KEY);
  if (key) return key;
  throw wrong("CPG_MASTER_KEY", {
    is: "is not 32 bytes in base64 or hex (make one with: openssl rand -base64 32)",
    example: "<44 base64 characters>",
  });
}

function dashboard(env: Env, host: string): DashboardConfig {
  if (env.CPG_DASHBOARD_PORT === "off") return { kind: "off" };
  const url = webAddress(env, "CPG_DASHBOARD_URL");
  if (!env.CPG_DASHBOARD_PORT && !env.CPG_DASHBOARD_HOST) return { kind: "beside", url };
  const port = integer(env, { name: "CPG_DASHBOARD_PORT", fallback: 8081, min: 0, max: 65_535 });
  return { kind: "own", host: hostOf(env, "CPG_DASHBOARD_HOST") ?? host, port, url };
}

function webAddress(env: Env, name: "CPG_PUBLIC_URL" | "CPG_DASHBOARD_URL"): string | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (isWebAddress(text)) return text.replace(/(?<!\/)\/+$/, "");
  throw wrong(name, {
    is: `${shown(text)} is not a web address`,
    example: "https://pay.example.com",
  });
}

function trustedProxies(env: Env): Cidr[] {
  const parts = (env.CPG_TRUSTED_PROXIES ?? "").split(",").map((part) => part.trim()).filter(
    Boolean,
  );
  return parts.map((part) => {
    const cidr = parseCidr(part);
    if (cidr) return cidr;
    throw wrong("CPG_TRUSTED_PROXIES", {
      is: `has ${shown(part)}, which is not an IP address or CIDR range`,
      example: "10.0.0.0/8,::1",
    });
  });
}

function connectionLimits(env: Env): ConnectionLimits {
  const count = (name: string, fallback: number) =>
    integer(env, { name, fallback, min: 1, max: 1_000_000 });
  return {
    max: count("CPG_CONNECTIONS_MAX", 2_000),
    perSourceMax: count("CPG_CONNECTIONS_PER_SOURCE_MAX", 256),
    headersMs: timeoutMs(env, "CPG_HEADER_TIMEOUT", 10),
    idleMs: timeoutMs(env, "CPG_IDLE_TIMEOUT", 75),
  };
}

function timeoutMs(env: Env, name: string, fallback: number): number {
  return 1000 * integer(env, { name, fallback, min: 1, max: 3_600 });
}

function integer(
  env: Env,
  { name, fallback, min, max }: { name: string; fallback: number; min: number; max: number },
): number {
  const text = env[name];
  if (!text) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw wrong(name, {
    is: `${shown(text)} is not a whole number from ${min} to ${max}`,
    example: String(fallback),
  });
}

function logLevel(env: Env): LogLevel {
  const text = env.CPG_LOG_LEVEL || "info";
  const level = LOG_LEVELS.find((candidate) => candidate === text);
  if (level) return level;
  throw wrong("CPG_LOG_LEVEL", {
    is: `${shown(text)} is not one of ${LOG_LEVELS.join(", ")}`,
    example: "info",
  });
}

function boolean(env: Env, name: string, fallback: boolean): boolean {
  const text = env[name];
  if (!text) return fallback;
  if (text === "true" || text === "false") return text === "true";
  throw wrong(name, {
    is: `${shown(text)} is neither true nor false`,
    example: String(fallback),
  });
}
