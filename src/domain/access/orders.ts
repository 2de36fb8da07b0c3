import type { Rule } from "../policy/rules.ts";
import type { Permission } from "../permissions.ts";
import type { NewSource } from "../rates/new_source.ts";
import type { Ability, Role } from "./roles.ts";

/** What an operator can change about a key. */
interface KeyTerms {
  readonly label: string;
  readonly permissions: readonly Permission[];
  readonly ipList: readonly string[];
  readonly rateLimit: number;
}

export interface AccountSettings {
  readonly name?: string;
  readonly mayPush?: boolean;
  readonly coolingMs?: number;
  readonly requiresSecondFactor?: boolean;
  readonly dualControl?: boolean;
  /** A symbol in any case; null: none. */
  readonly reporting?: string | null;
  /** How many megabytes are stored for it a day at most. */
  readonly quotaMb?: number;
}

export interface GatewaySettings {
  readonly requiresSecondFactor?: boolean;
  readonly dualControl?: boolean;
}

/** What can be changed about a rule that stays. */
export type PolicyTerms = Partial<
  Pick<Rule, "label" | "cap" | "outcome" | "approvals" | "expiresMs">
>;

interface OfRule {
  readonly id: number;
  /** The account itself asks, which has rules of its own. */
  readonly ownedBy?: number | undefined;
}

/** Every change that needs a second person under dual control, with all that it takes to do it. */
export interface Orders {
  readonly "policy.switch_off": OfRule;
  readonly "policy.remove": OfRule;
  readonly "policy.edit": OfRule & { readonly change: PolicyTerms };
  readonly "policy.accept": Readonly<Record<string, never>>;
  readonly "payee.add": {
    readonly accountId: number;
    readonly network: string;
    readonly address: string;
    readonly label: string;
    readonly usableAfterMs: number;
  };
  readonly "receiving_wallet.set": {
    readonly accountId: number;
    readonly network: string;
    readonly address: string;
    readonly isNow: boolean;
  };
  readonly "key.create": KeyTerms & {
    readonly accountId: number;
    /** The account itself asks, which has limits. */
    readonly isOwn: boolean;
  };
  readonly "role_key.create": {
    /** Null: every account. */
    readonly accountId: number | null;
    readonly role: Role;
    readonly label: string;
    readonly ipList: readonly string[];
    readonly rateLimit: number;
  };
  readonly "key.set": { readonly keyId: string; readonly change: Partial<KeyTerms> };
  readonly "user.create": {
    readonly email: string;
    readonly role: Role;
    readonly accountId: number | null;
  };
  readonly "user.reset": { readonly id: number };
  readonly "user.enable": { readonly id: number; readonly isOwn: boolean };
  readonly "user.set_role": { readonly id: number; readonly role: Role };
  readonly "second_factor.off": {
    readonly userId: number;
    /** Null: the authenticator app. */
    readonly passkeyId: string | null;
  };
  readonly "account.set": { readonly id: number; readonly change: AccountSettings };
  readonly "setting.set": { readonly change: GatewaySettings };
  readonly "rate_source.add": NewSource;
  readonly "rate_source.remove": { readonly id: number };
  readonly "row.accept": { readonly table: string; readonly key: string };
}
export type OrderKind = keyof Orders;
export type Order = Orders[OrderKind];

/** What they are called in the contract. */
type DualTopic =
  | "policies"
  | "payees"
  | "receiving wallets"
  | "keys with withdraw"
  | "roles"
  | "second factors"
  | "dual control and waiting times"
  | "sources of rates"
  | "rows changed in the database";

interface OrderFacts {
  readonly topic: DualTopic;
  /** Which of the account's own users may do it themselves, and so decide; null: operators only. */
  readonly ability: Ability | null;
}

export const ORDERS: Readonly<Record<OrderKind, OrderFacts>> = {
  "policy.switch_off": { topic: "policies", ability: "manage_rules" },
  "policy.remove": { topic: "policies", ability: "manage_rules" },
  "policy.edit": { topic: "policies", ability: "manage_rules" },
  "policy.accept": { topic: "policies", ability: null },
  "payee.add": { topic: "payees", ability: "pay" },
  "receiving_wallet.set": { topic: "receiving wallets", ability: "set_up_account" },
  "key.create": { topic: "keys with withdraw", ability: "manage_withdraw_keys" },
  "role_key.create": { topic: "roles", ability: null },
  "key.set": { topic: "keys with withdraw", ability: "manage_withdraw_keys" },
  "user.create": { topic: "roles", ability: "manage_users" },
  "user.reset": { topic: "second factors", ability: "manage_users" },
  "user.enable": { topic: "roles", ability: "manage_users" },
  "user.set_role": { topic: "roles", ability: "manage_users" },
  "second_factor.off": { topic: "second factors", ability: "manage_users" },
  "account.set": { topic: "dual control and waiting times", ability: null },
  "setting.set": { topic: "dual control and waiting times", ability: null },
  "rate_source.add": { topic: "sources of rates", ability: null },
  "rate_source.remove": { topic: "sources of rates", ability: null },
  "row.accept": { topic: "rows changed in the database", ability: null },
};

/** Whoever proposes a login never holds its password or link: whoever approves it passes one on. */
export function makesLogin(kind: OrderKind): boolean {
  return kind === "user.create" || kind === "user.reset";
}

/** Whoever asks gets the start of its secret, and whoever approves it the end. */
export function makesKey(kind: OrderKind): boolean {
  return kind === "key.create" || kind === "role_key.create";
}

/** Not one that an account's own people set. */
export function isOperatorsRule(
  { kind, before }: { readonly kind: OrderKind; readonly before: object | null },
): boolean {
  if (ORDERS[kind].ability !== "manage_rules") return false;
  return before === null || !("setBy" in before) || before.setBy !== "merchant";
}

/** For where the kind says what is in it, which the type checker can't follow. */
export function untyped(wanted: Order) {
  return JSON.parse(JSON.stringify(wanted));
}

/** How long a proposal waits for its second person. */
export const PROPOSAL_MS = 7 * 86_400_000;

export type ProposalState = "waiting" | "approved" | "rejected" | "expired";
