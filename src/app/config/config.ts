import { misspellingsOf, unknownNames } from "./names.ts";
import {
  boolean,
  databaseToken,
  databaseUrl,
  DEFAULT_HOST,
  type Env,
  hostOf,
  integer,
  logLevel,
  masterKey,
  metricsToken,
  onOff,
  timeoutMs,
  trustedProxies,
  webAddress,
  wrong,
} from "./variables.ts";
import type { Bytes } from "../../base/bytes.ts";
import type { LogLevel } from "../../base/log.ts";
import type { Cidr } from "../../base/net/cidr.ts";
import type { ConnectionLimits } from "../../base/net/connection_book.ts";
import { PASSWORD_COST, type PasswordCost } from "../../base/secrets/password.ts";
import type { Windows } from "../../deposits/rules/deposit_request.ts";
import type { MailSettings } from "../../notifications/senders/mail.ts";
import { systemCalls } from "../../store/connection/native_calls.ts";

const ADDRESS = '[^\\s\\p{C}<>()\\[\\]\\\\,;:"@]{1,64}@[^\\s\\p{C}<>()\\[\\]\\\\,;:"@]{1,190}';
/** "payments@example.com" or "CPG <payments@example.com>". */
const SENDER = new RegExp(`^(${ADDRESS}|[^<>\\p{C}]{1,100} <${ADDRESS}>)$`, "u");

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
  /** Whether a start offers to create the first login. */
  readonly hasSetUp: boolean;
  /** Whether /docs is served. */
  readonly hasDocs: boolean;
  readonly windows: Windows;
  readonly isPrivateWebhookAllowed: boolean;
  /** Undefined: no mail is sent. */
  readonly smtp: MailSettings | undefined;
  readonly telegramToken: string | undefined;
  readonly passwordCost: PasswordCost;
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
  /** One line for each unknown variable that begins with CPG_, and each that makes it less safe. */
  readonly warnings: readonly string[];
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
  "CPG_SETUP",
  "CPG_DOCS",
  "CPG_TRUSTED_PROXIES",
  "CPG_DISPLAY_WINDOW",
  "CPG_MONITORING_WINDOW",
  "CPG_REUSE_WINDOW",
  "CPG_WEBHOOK_ALLOW_PRIVATE",
  "CPG_SMTP_URL",
  "CPG_SMTP_FROM",
  "CPG_TELEGRAM_TOKEN",
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

const AUTH_FAILURES = "CPG_AUTH_FAILURES_PER_MINUTE";
const COUNT = { min: 1, max: 1_000_000 };
const ENVIRONMENT_BYTES_MAX = 2 ** 21;
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
  const likely = ["CPG_URL", "CPG_KEY_ID", ...ENV_NAMES.flatMap(misspellingsOf)];
  return (startedWith() ?? likely).filter((name) =>
    name.startsWith("CPG_") && isGranted({ name: "env", variable: name }) &&
    Deno.env.get(name) !== undefined
  );
}

/** The names of all variables, where the system tells them; deno.json allows to read those of CPG. */
function startedWith(): string[] | undefined {
  if (Deno.build.os !== "linux") return undefined;
  const bytes = systemCalls()?.readFile("/proc/self/environ", ENVIRONMENT_BYTES_MAX);
  return bytes && new TextDecoder().decode(bytes).split("\0").map((one) => one.split("=")[0]!);
}

function isGranted(permission: Deno.EnvPermissionDescriptor): boolean {
  return Deno.permissions.querySync(permission).state === "granted";
}

/** A wrong value stops the start with one line: the variable, what is wrong, an example. */
export function readConfig(env: Env): Config {
  const host = hostOf(env, "CPG_HOST") ?? DEFAULT_HOST;
  const port = integer(env, { name: "CPG_PORT", fallback: 8080, min: 0, max: 65_535 });
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
    hasSetUp: onOff(env, "CPG_SETUP"),
    hasDocs: onOff(env, "CPG_DOCS"),
    windows: windows(env),
    isPrivateWebhookAllowed: boolean(env, "CPG_WEBHOOK_ALLOW_PRIVATE", false),
    smtp: smtp(env),
    telegramToken: telegramToken(env),
    passwordCost: PASSWORD_COST,
    authFailuresPerMinute: integer(env, { name: AUTH_FAILURES, fallback: 60, ...COUNT }),
    metricsToken: metricsToken(env),
    connections: env.DENO_DEPLOY ? null : connectionLimits(env),
    bodyTimeoutMs: timeoutMs(env, "CPG_BODY_TIMEOUT", 20),
    logLevel: logLevel(env),
    isWorkerOn: boolean(env, "CPG_WORKER", isInCharge(env)),
    given: ENV_NAMES.filter((name) => env[name]),
    warnings: [
      ...unknownNames(Object.keys(env), ENV_NAMES),
      ...ADDRESSES.flatMap((name) => plainAddress(env, name)),
    ],
  };
}

const ADDRESSES = ["CPG_PUBLIC_URL", "CPG_DASHBOARD_URL"] as const;

/** On this machine nobody is in between. */
function plainAddress(env: Env, name: typeof ADDRESSES[number]): string[] {
  const url = webAddress(env, name);
  if (!url?.startsWith("http:")) return [];
  const { hostname } = new URL(url);
  if (/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) return [];
  const whose = name === "CPG_PUBLIC_URL" ? "payers' pages and API requests" : "the dashboard";
  return [
    `${name} begins with http://, so whoever is in between reads and changes ${whose}: use https://`,
  ];
}

/** Deno Deploy runs every branch as a timeline. They share a database, so only one may do the work. */
function isInCharge(env: Env): boolean {
  return !env.DENO_DEPLOY || env.DENO_TIMELINE === "production";
}

function dashboard(env: Env, host: string): DashboardConfig {
  if (env.CPG_DASHBOARD_PORT === "off") return { kind: "off" };
  const url = webAddress(env, "CPG_DASHBOARD_URL");
  if (!env.CPG_DASHBOARD_PORT && !env.CPG_DASHBOARD_HOST) return { kind: "beside", url };
  const port = integer(env, { name: "CPG_DASHBOARD_PORT", fallback: 8081, min: 0, max: 65_535 });
  return { kind: "own", host: hostOf(env, "CPG_DASHBOARD_HOST") ?? host, port, url };
}

function windows(env: Env): Windows {
  const windowMs = (name: string, fallback: number) =>
    1000 * integer(env, { name, fallback, min: 1, max: WINDOW_MAX_S });
  return {
    displayMs: windowMs("CPG_DISPLAY_WINDOW", 10_800),
    monitoringMs: windowMs("CPG_MONITORING_WINDOW", 604_800),
    reuseMs: windowMs("CPG_REUSE_WINDOW", 604_800),
  };
}

function connectionLimits(env: Env): ConnectionLimits {
  const count = (name: string, fallback: number) => integer(env, { name, fallback, ...COUNT });
  return {
    max: count("CPG_CONNECTIONS_MAX", 2_000),
    perSourceMax: count("CPG_CONNECTIONS_PER_SOURCE_MAX", 256),
    headersMs: timeoutMs(env, "CPG_HEADER_TIMEOUT", 10),
    idleMs: timeoutMs(env, "CPG_IDLE_TIMEOUT", 75),
  };
}

/** Undefined: no mail is sent, because there is no server or no sender. */
function smtp({ CPG_SMTP_URL: url, CPG_SMTP_FROM: from }: Env): MailSettings | undefined {
  if (url && !isServer(url)) {
    throw wrong("CPG_SMTP_URL", {
      is: "is not the address of a mail server",
      example: "smtps://user:password@mail.example.com:465",
    });
  }
  if (from && !isSender(from)) {
    throw wrong("CPG_SMTP_FROM", { is: "is not an e-mail address", example: "cpg@example.com" });
  }
  return url && from ? { url, from } : undefined;
}

function isServer(text: string): boolean {
  if (!/^smtps?:\/\/[!-~]+$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).hostname !== "";
}

function isSender(text: string): boolean {
  return SENDER.test(text);
}

function telegramToken({ CPG_TELEGRAM_TOKEN: token }: Env): string | undefined {
  if (!token || /^\d{1,20}:[\w-]{20,100}$/.test(token)) return token || undefined;
  throw wrong("CPG_TELEGRAM_TOKEN", {
    is: "is not a bot's token, as @BotFather shows it",
    example: "<digits:letters>",
  });
}
