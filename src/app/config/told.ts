import { cidrText } from "../../base/net/cidr.ts";
import type { ConnectionLimits } from "../../base/net/connection_book.ts";
import { type Config, ENV_NAMES } from "./config.ts";
import type { EnvironmentSetting } from "../../dashboard/environment.ts";
import { keyFileOf } from "./master_key.ts";
import { withoutSecrets } from "../../store/connection/connect.ts";

type Name = typeof ENV_NAMES[number];
type Told = readonly [meaning: string, value: string];

const SECRET = "set, not shown";
const UNUSED = "not used";

/** Every variable with its value and where that comes from; of secrets only whether they are set. */
export function tellConfig(config: Config): EnvironmentSetting[] {
  const told = tell(config);
  return ENV_NAMES.map((name) => {
    const [meaning, value] = told[name];
    return { name, value, meaning, source: sourceOf(config, name) };
  });
}

function sourceOf(config: Config, name: Name): EnvironmentSetting["source"] {
  if (config.given.includes(name)) return "environment";
  return name === "CPG_MASTER_KEY" ? "file" : "default";
}

function tell(config: Config): Record<Name, Told> {
  const { dashboard, windows, trustedProxies } = config;
  const isOwn = dashboard.kind === "own";
  return {
    CPG_DATABASE_URL: ["The database", withoutSecrets(config.databaseUrl)],
    CPG_DATABASE_TOKEN: ["Token of a remote database", config.databaseToken ? SECRET : UNUSED],
    CPG_MASTER_KEY: [
      "Seals every secret in the database",
      config.masterKey ? SECRET : `kept in ${keyFileOf(config)}, not shown`,
    ],
    CPG_HOST: ["Where the API listens", config.host],
    CPG_PORT: ["Its port", String(config.port)],
    CPG_PUBLIC_URL: ["How others reach it", config.publicUrl],
    CPG_DASHBOARD_HOST: ["Where the dashboard listens", isOwn ? dashboard.host : "beside the API"],
    CPG_DASHBOARD_PORT: ["Its port", isOwn ? String(dashboard.port) : "beside the API"],
    CPG_DASHBOARD_URL: [
      "How browsers reach the dashboard",
      dashboard.kind === "off" ? UNUSED : dashboard.url ?? "where it listens",
    ],
    CPG_TRUSTED_PROXIES: [
      "Whose X-Forwarded-For is believed",
      trustedProxies.map(cidrText).join(", ") || "nobody's",
    ],
    CPG_DISPLAY_WINDOW: ["A deposit address is shown for", seconds(windows.displayMs)],
    CPG_MONITORING_WINDOW: ["It is surely watched for", seconds(windows.monitoringMs)],
    CPG_REUSE_WINDOW: ["A pool address may serve another after", seconds(windows.reuseMs)],
    CPG_WEBHOOK_ALLOW_PRIVATE: [
      "Webhooks to http and private addresses",
      config.isPrivateWebhookAllowed ? "true: allowed" : "false: refused",
    ],
    CPG_AUTH_FAILURES_PER_MINUTE: [
      "Failed authentications a source may make in a minute",
      String(config.authFailuresPerMinute),
    ],
    CPG_METRICS_TOKEN: [
      "Opens the amounts and accounts in /metrics",
      config.metricsToken ? SECRET : UNUSED,
    ],
    ...tellConnections(config),
    CPG_LOG_LEVEL: ["What is logged", config.logLevel],
    CPG_WORKER: [
      "Chains are followed and webhooks sent",
      config.isWorkerOn ? "true" : "false: HTTP only",
    ],
  };
}

type ConnectionName =
  | "CPG_CONNECTIONS_MAX"
  | "CPG_CONNECTIONS_PER_SOURCE_MAX"
  | "CPG_HEADER_TIMEOUT"
  | "CPG_BODY_TIMEOUT"
  | "CPG_IDLE_TIMEOUT";

function tellConnections({ connections, bodyTimeoutMs }: Config): Record<ConnectionName, Told> {
  const limit = (name: keyof ConnectionLimits, show: (value: number) => string) =>
    connections ? show(connections[name]) : "left to the platform";
  return {
    CPG_CONNECTIONS_MAX: ["Connections that a listener keeps open", limit("max", String)],
    CPG_CONNECTIONS_PER_SOURCE_MAX: [
      "Connections of one source, except a trusted proxy",
      limit("perSourceMax", String),
    ],
    CPG_HEADER_TIMEOUT: ["Time for the headers of a first request", limit("headersMs", seconds)],
    CPG_BODY_TIMEOUT: ["Time for the body of a request", seconds(bodyTimeoutMs)],
    CPG_IDLE_TIMEOUT: ["An idle connection is kept for", limit("idleMs", seconds)],
  };
}

const UNITS = [["days", 86_400], ["hours", 3_600], ["minutes", 60]] as const;

function seconds(ms: number): string {
  const whole = ms / 1000;
  const unit = UNITS.find(([, size]) => whole % size === 0);
  return unit ? `${whole} seconds: ${whole / unit[1]} ${unit[0]}` : `${whole} seconds`;
}
