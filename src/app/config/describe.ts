import { cidrText } from "../../base/net/cidr.ts";
import type { ConnectionLimits } from "../../base/net/connection_book.ts";
import { type Config, ENV_NAMES } from "./config.ts";
import type { EnvironmentSetting } from "../../dashboard/environment.ts";
import { keyFileOf } from "./master_key.ts";
import { withoutSecrets } from "../../store/connection/connect.ts";

type Name = typeof ENV_NAMES[number];
type Description = readonly [meaning: string, value: string];

const SECRET = "set, not shown";
const UNUSED = "not used";

export interface KeyFile {
  /** Where the master key was found. */
  readonly keyFile?: string | undefined;
}

/** Every variable with its value and source. For secrets only whether they are set. */
export function describeConfig(config: Config & KeyFile): EnvironmentSetting[] {
  const described = describe(config);
  return ENV_NAMES.map((name) => {
    const [meaning, value] = described[name];
    return { name, value, meaning, source: sourceOf(config, name) };
  });
}

function sourceOf(config: Config, name: Name): EnvironmentSetting["source"] {
  if (config.given.includes(name)) return "environment";
  return name === "CPG_MASTER_KEY" ? "file" : "default";
}

function describe(config: Config & KeyFile): Record<Name, Description> {
  return {
    ...describeDatabase(config),
    ...describeAddresses(config),
    ...describeLimits(config),
    ...describeConnections(config),
    ...describeNotes(config),
    CPG_LOG_LEVEL: ["Log level", config.logLevel],
    CPG_WORKER: [
      "Follows chains and sends webhooks",
      config.isWorkerOn ? "true" : "false: HTTP only",
    ],
  };
}

type Described<N extends Name> = Record<N, Description>;

function describeDatabase(
  config: Config & KeyFile,
): Described<"CPG_DATABASE_URL" | "CPG_DATABASE_TOKEN" | "CPG_MASTER_KEY"> {
  return {
    CPG_DATABASE_URL: ["Database", withoutSecrets(config.databaseUrl)],
    CPG_DATABASE_TOKEN: ["Token for a remote database", config.databaseToken ? SECRET : UNUSED],
    CPG_MASTER_KEY: [
      "Seals every secret in the database",
      config.masterKey ? SECRET : `kept in ${config.keyFile ?? keyFileOf(config)}, not shown`,
    ],
  };
}

type AddressName =
  | "CPG_HOST"
  | "CPG_PORT"
  | "CPG_PUBLIC_URL"
  | "CPG_DASHBOARD_HOST"
  | "CPG_DASHBOARD_PORT"
  | "CPG_DASHBOARD_URL"
  | "CPG_SETUP"
  | "CPG_DOCS"
  | "CPG_TRUSTED_PROXIES";

function describeAddresses(config: Config): Described<AddressName> {
  const { dashboard, trustedProxies } = config;
  const own = dashboard.kind === "own" ? dashboard : undefined;
  return {
    CPG_HOST: ["API host", config.host],
    CPG_PORT: ["API port", String(config.port)],
    CPG_PUBLIC_URL: ["Public URL of the API", config.publicUrl],
    CPG_DASHBOARD_HOST: ["Dashboard host", own?.host ?? "same as the API"],
    CPG_DASHBOARD_PORT: ["Dashboard port", String(own?.port ?? "same as the API")],
    CPG_DASHBOARD_URL: [
      "Public URL of the dashboard",
      dashboard.kind === "off" ? UNUSED : dashboard.url ?? "its host and port",
    ],
    CPG_SETUP: ["Offers to create the first login", config.hasSetUp ? "on" : "off"],
    CPG_DOCS: ["Documentation of the API at /docs", config.hasDocs ? "on" : "off"],
    CPG_TRUSTED_PROXIES: [
      "Proxies whose X-Forwarded-For is trusted",
      trustedProxies.map(cidrText).join(", ") || "none",
    ],
  };
}

type LimitName =
  | "CPG_DISPLAY_WINDOW"
  | "CPG_MONITORING_WINDOW"
  | "CPG_REUSE_WINDOW"
  | "CPG_WEBHOOK_ALLOW_PRIVATE"
  | "CPG_AUTH_FAILURES_PER_MINUTE"
  | "CPG_METRICS_TOKEN";

function describeLimits({ windows, ...config }: Config): Described<LimitName> {
  return {
    CPG_DISPLAY_WINDOW: ["A deposit address is shown for", seconds(windows.displayMs)],
    CPG_MONITORING_WINDOW: ["It is monitored for at least", seconds(windows.monitoringMs)],
    CPG_REUSE_WINDOW: ["A pool address may be reused after", seconds(windows.reuseMs)],
    CPG_WEBHOOK_ALLOW_PRIVATE: [
      "Webhooks to http and private addresses",
      config.isPrivateWebhookAllowed ? "true: allowed" : "false: refused",
    ],
    CPG_AUTH_FAILURES_PER_MINUTE: [
      "Failed authentications allowed per source and minute",
      String(config.authFailuresPerMinute),
    ],
    CPG_METRICS_TOKEN: [
      "Protects amounts and accounts in /metrics",
      config.metricsToken ? SECRET : UNUSED,
    ],
  };
}

function describeNotes(
  { smtp, telegramToken }: Config,
): Described<"CPG_SMTP_URL" | "CPG_SMTP_FROM" | "CPG_TELEGRAM_TOKEN"> {
  return {
    CPG_SMTP_URL: ["Server that sends notifications by mail", smtp ? SECRET : UNUSED],
    CPG_SMTP_FROM: ["Sender of notifications by mail", smtp?.from ?? UNUSED],
    CPG_TELEGRAM_TOKEN: ["Bot that sends notifications", telegramToken ? SECRET : UNUSED],
  };
}

type ConnectionName =
  | "CPG_CONNECTIONS_MAX"
  | "CPG_CONNECTIONS_PER_SOURCE_MAX"
  | "CPG_HEADER_TIMEOUT"
  | "CPG_BODY_TIMEOUT"
  | "CPG_IDLE_TIMEOUT";

function describeConnections({ connections, bodyTimeoutMs }: Config): Described<ConnectionName> {
  const limit = (name: keyof ConnectionLimits, show: (value: number) => string) =>
    connections ? show(connections[name]) : "set by the platform";
  return {
    CPG_CONNECTIONS_MAX: ["Open connections per listener", limit("max", String)],
    CPG_CONNECTIONS_PER_SOURCE_MAX: [
      "Open connections per source, except trusted proxies",
      limit("perSourceMax", String),
    ],
    CPG_HEADER_TIMEOUT: ["Time limit for the first request's headers", limit("headersMs", seconds)],
    CPG_BODY_TIMEOUT: ["Time limit for a request's body", seconds(bodyTimeoutMs)],
    CPG_IDLE_TIMEOUT: ["An idle connection stays open for", limit("idleMs", seconds)],
  };
}

const UNITS = [["days", 86_400], ["hours", 3_600], ["minutes", 60]] as const;

function seconds(ms: number): string {
  const whole = ms / 1000;
  const unit = UNITS.find(([, size]) => whole % size === 0);
  return unit ? `${whole} seconds: ${whole / unit[1]} ${unit[0]}` : `${whole} seconds`;
}
