import { OperatorError } from "../../domain/refusal.ts";
import type { Finding } from "../../operations/host.ts";
import { type Config, ENV_NAMES, readConfig } from "../config/config.ts";
import type { Env } from "../config/variables.ts";

const CHECK = "configuration";

interface Checked {
  /** With the default in place of each wrong value. */
  readonly config: Config;
  readonly wrong: readonly string[];
  readonly findings: readonly Finding[];
}

/** Finds every wrong value, where a start reports only the first. */
export function checkConfiguration(env: Env): Checked {
  const left: Record<string, string | undefined> = { ...env };
  const faults = new Map<string, string>();
  for (;;) {
    try {
      const config = readConfig(left);
      return { config, wrong: [...faults.keys()], findings: findingsOf(config, faults) };
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      const name = ENV_NAMES.find((one) => error.message.startsWith(`${one} `));
      if (name === undefined || !left[name]) throw error;
      faults.set(name, error.message);
      delete left[name];
    }
  }
}

function findingsOf(config: Config, faults: ReadonlyMap<string, string>): Finding[] {
  const wrong = [...faults].map(([name, message]): Finding => ({
    check: CHECK,
    state: "failed",
    message,
    advice: `correct ${name}, or remove it to use its default`,
  }));
  const warnings = [
    ...config.warnings.map((message) => ({ message, advice: null })),
    ...config.isPrivateWebhookAllowed
      ? [{
        message: "Webhooks may be sent to private addresses (CPG_WEBHOOK_ALLOW_PRIVATE)",
        advice: "remove it unless this is a test: merchants can reach your own network with it",
      }]
      : [],
  ].map((warning): Finding => ({ check: CHECK, state: "warning", ...warning }));
  if (wrong.length + warnings.length > 0) return [...wrong, ...warnings];
  const set = config.given.join(", ");
  const message = set === "" ? "every setting has its default" : `set: ${set}`;
  return [{ check: CHECK, state: "ok", message, advice: null }];
}
