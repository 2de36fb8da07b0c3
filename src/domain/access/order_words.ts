import { originOf } from "../rates/new_source.ts";
import { durationText } from "../time.ts";
import { type Order, type OrderKind, type Orders, untyped } from "./orders.ts";

interface Asked {
  readonly kind: OrderKind;
  readonly wanted: Order;
  readonly accountId: number | null;
  readonly before: object | null;
}

type Words = { readonly [K in OrderKind]: (order: Orders[K], asked: Asked) => string };

/** What will be done, in a few words: details are in before and after. */
const WORDS: Words = {
  "policy.switch_off": ({ id }, asked) => `switch off rule ${id}${labelOf(asked)}`,
  "policy.remove": ({ id }, asked) => `remove rule ${id}${labelOf(asked)}`,
  "policy.edit": ({ id, change }, asked) =>
    `change rule ${id}${labelOf(asked)}: ${changed(change)}`,
  "policy.accept": () => "accept the rules as somebody changed them in the database",
  "payee.add": ({ accountId, network, address, label }) =>
    `add "${label}", ${address} on ${network}, as a payee of account ${accountId}`,
  "receiving_wallet.set": ({ accountId, network, address, isNow }) =>
    `sweep deposits of account ${accountId} on ${network} to ${address}${isNow ? " at once" : ""}`,
  "key.create": ({ accountId, label, permissions }) =>
    `create the API key "${label}" of account ${accountId}, which may ${permissions.join(", ")}`,
  "role_key.create": ({ accountId, role, label }) =>
    `create the API key "${label}", which manages ${
      accountId === null ? "the gateway" : `account ${accountId}`
    } as ${role}`,
  "key.set": ({ keyId, change }) => `change the API key ${keyId}: ${changed(change)}`,
  "user.create": ({ email, role, accountId }) =>
    `create the login ${email} as ${role}${accountId === null ? "" : ` of account ${accountId}`}`,
  "user.reset": (_, asked) =>
    `give ${emailOf(asked)} a new password and turn the second factor off`,
  "user.enable": (_, asked) => `enable the login ${emailOf(asked)}`,
  "user.set_role": ({ role }, asked) => `make ${emailOf(asked)} ${role}`,
  "second_factor.off": ({ passkeyId }, asked) =>
    passkeyId === null
      ? `turn off the authenticator app of ${emailOf(asked)}`
      : `remove a passkey of ${emailOf(asked)}`,
  "account.set": ({ id, change }) => `change account ${id}: ${changed(change)}`,
  "setting.set": ({ change }) => `change the settings: ${changed(change)}`,
  "rate_source.add": (source) =>
    `add a source of ${source.base}/${source.quote}: ${originOf(source)}`,
  "rate_source.remove": ({ id }, asked) =>
    `remove source ${id} of ${textOf(asked, "base")}/${textOf(asked, "quote")}`,
  "row.accept": ({ table, key }) =>
    `accept row ${key} of ${table} as somebody changed it in the database`,
};

export function orderTitle(asked: Asked): string {
  return WORDS[asked.kind](untyped(asked.wanted), asked);
}

function textOf({ before }: Asked, field: string): string {
  const value: unknown = before && Object.entries(before).find(([name]) => name === field)?.[1];
  return typeof value === "string" ? value : "";
}

function labelOf(asked: Asked): string {
  const label = textOf(asked, "label");
  return label === "" ? "" : ` "${label}"`;
}

function emailOf(asked: Asked): string {
  return textOf(asked, "email");
}

const NAMES: Readonly<Record<string, string>> = {
  name: "name",
  mayPush: "users may bump, resend and revoke",
  coolingMs: "waiting time of receiving wallets",
  requiresSecondFactor: "second factor required",
  dualControl: "dual control",
  reporting: "reporting currency",
  label: "label",
  permissions: "permissions",
  ipList: "allowed addresses",
  rateLimit: "requests per minute",
  cap: "limit",
  outcome: "then",
  approvals: "approvals",
  expiresMs: "expires after",
};

function changed(change: object): string {
  return Object.entries(change).map(([name, value]) => `${NAMES[name]} ${shown(name, value)}`)
    .join("; ");
}

function shown(name: string, value: unknown): string {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (name === "coolingMs" || name === "expiresMs") return durationText(Number(value));
  if (Array.isArray(value)) return value.join(", ") || "any";
  return String(value);
}
