import { Lru } from "../base/lru.ts";
import { SharedLooks } from "../base/waiting/shared_looks.ts";
import type { TokenBucket } from "../base/waiting/token_bucket.ts";
import type { Amount } from "../domain/money/amount.ts";
import type { Scope, Total } from "./rules/rules.ts";
import type { Read } from "../store/engine/workspace.ts";
import type { PayeeRow } from "../payees/table.ts";
import type { PolicyMeterRow, PolicyRow } from "./table.ts";

/** All rules as of one version. */
export interface Book {
  readonly version: number;
  readonly policies: readonly PolicyRow[];
  readonly meters: readonly Meter[];
}

/** Adds up the payments of a scope, separately for each value that it splits by. */
export interface Meter extends Scope {
  readonly id: number;
  /** It knows every payment since then. */
  readonly fromMs: number;
  /** With a quote: what each currency was worth when it began. */
  readonly rates: Readonly<Record<string, string>> | null;
}

/** What a meter adds up for one of the values that it splits by. Who uses it shares it. */
export interface Counter {
  readonly meterId: number;
  readonly split: string;
  readonly name: string;
  readonly read: Read<PolicyMeterRow>;
  /** How many payments it had counted when this program last added one. */
  counted: number;
  /** Its sum is parsed already, which takes longest. */
  newest: { readonly row: PolicyMeterRow; readonly added: Amount } | undefined;
}

/** What a window begins with, for as long as nothing leaves it. */
export interface KnownEdge {
  /** What the meter's sums contain besides the window. */
  readonly outside: Total;
  readonly revision: number;
  /** For edges before this. */
  readonly untilMs: number;
}

/** What the rules look at for payments that differ only in their amounts. */
export interface Plan {
  readonly book: Book;
  /** Those that apply. */
  readonly rules: readonly PolicyRow[];
  readonly counted: readonly Counted[];
  /** By the rule's id. */
  readonly windows: ReadonlyMap<number, Window>;
  /** Undefined: no rule asks. */
  readonly payee: Read<PayeeRow> | undefined;
  readonly reads: readonly Read[];
  readonly canAsk: boolean;
  /** The currencies in which rules ask for its value. */
  readonly quotes: readonly string[];
  /** Where its windows begin, as they were looked up last. */
  edges: Edges | undefined;
  /** The payee's, once it was found: it never changes. */
  payeeId: number | undefined;
  /** From when on the log lets it be used, as it said at this time. */
  payeeSaid: { readonly usableFromMs: number; readonly atMs: number } | undefined;
}

/** By window. */
export interface Edges {
  readonly of: ReadonlyMap<Window, KnownEdge>;
  /** They hold at these times. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A meter that counts the payment. */
export interface Counted {
  readonly meter: Meter;
  readonly counter: Counter;
}

export interface Window {
  readonly windowMs: number;
  readonly meter: Meter;
  readonly counter: Counter;
  /** Where its counter is among those that count the payment. */
  readonly at: number;
  readonly name: string;
}

/** What a program remembers of the rules. */
export interface RulesMemory {
  /** The payment rules; undefined: not read since they changed. */
  policyBook: Book | undefined;
  /** By meter, window and what it splits by: where the window begins. */
  readonly policyEdges: Lru<string, { readonly edge: KnownEdge; readonly fromMs: number }>;
  /** By account, key, currency and recipient. */
  readonly policyPlans: Lru<string, Plan>;
  /** By meter and what it splits by. */
  readonly policyCounters: Lru<string, Counter>;
  /** By key: who created it. */
  readonly keyMakers: Lru<string, string>;
  readonly policyLooks: SharedLooks<void>;
  readonly edgeLooks: SharedLooks<KnownEdge>;
  /** By payee: what the log says of it. */
  readonly payeeLooks: SharedLooks<number | undefined>;
  /** By account: changes of its own rules. */
  readonly ruleChanges: Lru<number, TokenBucket>;
}

const POLICY_EDGES_MAX = 10_000;
const POLICY_PLANS_MAX = 10_000;
const POLICY_COUNTERS_MAX = 100_000;
const RULE_CHANGERS_MAX = 10_000;
const KEY_MAKERS_MAX = 10_000;

export function createRulesMemory(): RulesMemory {
  return {
    policyBook: undefined,
    policyEdges: new Lru(POLICY_EDGES_MAX),
    policyPlans: new Lru(POLICY_PLANS_MAX),
    policyCounters: new Lru(POLICY_COUNTERS_MAX),
    keyMakers: new Lru(KEY_MAKERS_MAX),
    policyLooks: new SharedLooks(),
    edgeLooks: new SharedLooks(),
    payeeLooks: new SharedLooks(),
    ruleChanges: new Lru(RULE_CHANGERS_MAX),
  };
}
