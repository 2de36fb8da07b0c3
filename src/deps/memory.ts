import type { AccountCurrencyRow, AccountRow } from "../accounts/tables/accounts.ts";
import type { StorageUseRow } from "../accounts/tables/storage.ts";
import { Lru } from "../base/lru.ts";
import { KeyedBatches, KeyedTurns } from "../base/waiting/batches.ts";
import { FairTurns, Shares } from "../base/waiting/shares.ts";
import { AuditTrail } from "../books/audit_trail.ts";
import { CreditTrail } from "../books/credit_trail.ts";
import type { LedgerMark } from "../books/rules/ledger_walk.ts";
import type { KindTotals } from "../books/rules/statement.ts";
import type { BalanceKey, BalanceRow, FreezeRow } from "../books/table.ts";
import type { Chain } from "../chains/chain.ts";
import type { Ahead } from "../following/ahead.ts";
import type { DepositMark } from "../following/reads.ts";
import type { NetworkCursorRow } from "../following/table.ts";
import type { Summed } from "../integrity/sum_balances.ts";
import type { NetworkRow } from "../networks/table.ts";
import { createRulesMemory, type RulesMemory } from "../policies/known.ts";
import { createRatesMemory, type RatesMemory } from "../rates/known.ts";
import { RequestNotes } from "../request_log/request_notes.ts";
import type { Db } from "../store/engine/db.ts";
import type { Read } from "../store/engine/workspace.ts";
import { IdSpans } from "../store/lists/id_spans.ts";
import type { KeyText } from "../store/tables/table.ts";

/**
 * What a program remembers from one call to the next. Its API, dashboard and worker share it; other
 * instances don't, and a restart empties it. Maps are by network unless their comment says otherwise.
 */
export interface Memory extends RulesMemory {
  /** By wallet: the transfers that wait for its next nonces. */
  readonly signingQueues: KeyedBatches;
  /** By branch of keys: the next unused index. */
  nextKeyIndexes: Map<string, number>;
  /** By wallet: the height at which a node first reported a nonce that we don't know. */
  readonly unexplainedNonces: Map<string, number>;
  /** By open transaction whose nonce something else has used: the height that first showed it. */
  readonly overtakenAt: Map<number, number>;
  /** When a block was last read again because nodes contradict what was recorded of it, and which. */
  readonly readAgain: Map<string, { readonly atMs: number; readonly height: number }>;
  /** Wallets whose newest payment is in the audit log. */
  readonly checkedWallets: Set<string>;
  /** What others paid for gas, as of a moment ago. */
  readonly paidLately: Map<string, { readonly paidRaw: bigint; readonly atMs: number }>;

  /** Blocks that are being read while those before them are recorded. */
  readonly blocksAhead: Map<string, Ahead>;
  /** How many blocks the next step reads. On a bad connection only short steps succeed. */
  readonly stepSizes: Map<string, number>;
  /** How far the newest blocks were looked at, ahead of the cursor. */
  readonly peekedTo: Map<string, number>;
  /** All payments that nodes show in no block, by hash: when that was last noted, or -Infinity. */
  readonly pendingNoted: Map<string, ReadonlyMap<string, number>>;
  /** Of payments that no node shows, those whose coins were there after they had been recorded. */
  readonly inputsSeen: Map<string, Set<string>>;
  /** By network: blocks and what is in none are recorded one after the other. */
  readonly blockTurns: KeyedTurns;
  /** At which height it was last looked for outputs that are spent for good. */
  readonly outputsClosedAt: Map<string, number>;
  /** And for inputs of deposits that needn't be watched any more. */
  readonly inputsForgottenAt: Map<string, number>;
  /** Whether the newest block was too old when that was last looked at. */
  readonly stalls: Map<string, { readonly isStalled: boolean; readonly atMs: number }>;
  readonly traceChoices: Map<string, TraceChoice>;
  /** By network: since when a node that can't be reached may be the one that traces. */
  readonly tracesUnknownSinceMs: Map<string, number>;
  /** When the state of the endpoints was last written to the database. */
  readonly endpointsNotedAtMs: Map<string, number>;

  /** Where the last round ended. Rows that can't be decided don't block those after them. */
  readonly orphansSeenTo: Map<string, number>;
  readonly depositsSeenTo: Map<string, DepositMark>;
  readonly resumedTo: Map<string, number>;
  /** When the gas wallet's stake was last looked at, for coins that are back. */
  readonly stakeSeenAtMs: Map<string, number>;
  /** When it was last looked at what gas wallets lend. Absent: somebody lent since. */
  readonly loansSeenAtMs: Map<string, number>;
  /** By sweep: how often energy was lent for it. */
  readonly energyLent: Lru<number, number>;
  /** The last account that had its turn. */
  readonly sweptTo: Map<string, number>;
  readonly reconciledTo: {
    ledger: BalanceKey | undefined;
    readonly chains: Map<string, AddressesSeen>;
  };
  /** By deposit: it wasn't covered, and is checked again after a pause that doubles. */
  readonly coverWaits: Map<number, { readonly untilMs: number; readonly forMs: number }>;
  /** By withdrawal: a refund that its invoice can't pay, looked at again after a pause that doubles. */
  readonly refundWaits: Map<number, RefundWait>;
  /** Networks on which failed payments from before the start were looked at. */
  readonly failuresSeen: Set<string>;

  /** By API key and client reference: the withdrawal that was requested with it. */
  readonly references: Lru<KeyText, number>;
  /** By account and currency: what each payment reads. The same reads merge faster. */
  readonly paymentReads: Lru<string, PaymentReads>;
  readonly rates: RatesMemory;
  /** By limit: when it is available again. */
  readonly throttles: Lru<string, number>;
  /** By account: keys and webhooks are counted and added one at a time. */
  readonly keyTurns: KeyedTurns;
  readonly webhookTurns: KeyedTurns;
  /** Of long looks at invoices. */
  readonly lookTurns: KeyedTurns;

  /** Separate, because credits may be too many to remember, and waiting withdrawals are not. */
  readonly withdrawalTrail: AuditTrail;
  readonly creditTrail: CreditTrail;
  auditHeadNotedAtMs: number | undefined;
  /** The last event that was looked at, whether it can be deleted. */
  eventsPrunedTo: number;
  /** By account and currency. */
  readonly ledgerQueues: KeyedBatches;
  readonly walkedLedgers: Lru<string, WalkedLedger>;
  readonly balancesQueue: KeyedBatches;
  provenBalances: ProvenBalances | undefined;

  /** Operators' comparisons in progress; null: of all networks. */
  readonly reconcileRuns: Map<string | null, ReconcileRun>;
  /** Where lists find rows of a time. */
  readonly idSpans: IdSpans;
  /** By account, currency and first id: a period's entries as far as they were added up. */
  readonly ledgerTotals: Lru<string, LedgerTotals>;
  /** The period among them that is being added up beside its page; one at a time. */
  ledgerPass: string | undefined;
  /** Of lists, CSV, pages and streams. */
  readonly shares: Shares;
  /** Of what a refund reads, and decides by: all payments and refunds of its invoice. */
  readonly refundTurns: FairTurns;
  /** By account: batches of payouts are checked one at a time. */
  readonly batchTurns: KeyedTurns;
  /** Changes of payment rules. */
  readonly ruleTurns: KeyedTurns;
  /** Requests that the request log doesn't have yet. */
  readonly requests: RequestNotes;
  /** Expensive look-ups for pages, by what they show. */
  readonly looks: Map<string, Look<unknown>>;
}

interface LedgerTotals {
  readonly belowId: number;
  readonly totals: KindTotals;
}

/** How far a network's addresses were compared with the chain, up to these ids. */
interface AddressesSeen {
  readonly dueAtMs: number;
  /** Among those that ever received something. */
  readonly received: number;
  readonly others: number;
}

interface RefundWait {
  readonly invoiceId: number;
  readonly sinceMs: number;
  readonly forMs: number;
}

interface TraceChoice {
  /** Replaced when the endpoints change, and the choice with it. */
  readonly chain: Chain;
  readonly setting: NetworkRow["traces"];
  readonly isTraced: boolean;
  readonly madeAtMs: number;
}

export interface PaymentReads {
  readonly enabled: Read<AccountCurrencyRow>;
  readonly account: Read<AccountRow>;
  readonly stop: Read;
  readonly freeze: Read<FreezeRow>;
  readonly cursor: Read<NetworkCursorRow>;
  readonly balance: Read<BalanceRow>;
  readonly stored: Read<StorageUseRow>;
  readonly all: readonly Read[];
}

export interface WalkedLedger {
  /** The ledger is right up to here. What is cut off or put back later doesn't follow it. */
  mark: LedgerMark;
  readonly fromId: number;
  /** By withdrawal: holds that were neither released nor debited since. */
  readonly holds: Map<number, number>;
}

export interface ProvenBalances {
  readonly summed: Summed;
  /** How often operators had accepted the balances. */
  readonly turn: number;
}

export interface ReconcileRun {
  /** Null: all networks. */
  readonly network: string | null;
  readonly isEverywhere: boolean;
  readonly sinceMs: number;
}

export interface Look<T> {
  /** What was known to have happened. */
  readonly stamp: string;
  readonly atMs: number;
  readonly answer: Promise<T>;
  /** The newest answer, until there is a newer one. */
  found: { readonly atMs: number; readonly value: T } | undefined;
}

const SIGNED_TOGETHER_MAX = 50;
const CHECKED_TOGETHER_MAX = 500;
const REFERENCES_MAX = 100_000;
const ENERGY_LENT_MAX = 10_000;
const PAYMENT_READS_MAX = 1_000;
const THROTTLES_MAX = 50_000;
const LEDGERS_MAX = 20_000;
const PERIODS_MAX = 2_000;

/** A file is read without waiting. While a server answers, others are asked. */
const PARTS_AT_ONCE = { file: 1, server: 8 };
const PLACE_MS = 10_000;
/** Longer than any part computes. */
const SLOW_AFTER_MS = 250;

export function createMemory(
  db: Db,
  { isEmbedded = true }: { isEmbedded?: boolean } = {},
): Memory {
  const atOnce = PARTS_AT_ONCE[isEmbedded ? "file" : "server"];
  return {
    signingQueues: new KeyedBatches(SIGNED_TOGETHER_MAX),
    nextKeyIndexes: new Map(),
    unexplainedNonces: new Map(),
    overtakenAt: new Map(),
    readAgain: new Map(),
    checkedWallets: new Set(),
    paidLately: new Map(),
    blocksAhead: new Map(),
    stepSizes: new Map(),
    peekedTo: new Map(),
    pendingNoted: new Map(),
    inputsSeen: new Map(),
    outputsClosedAt: new Map(),
    inputsForgottenAt: new Map(),
    stalls: new Map(),
    traceChoices: new Map(),
    tracesUnknownSinceMs: new Map(),
    endpointsNotedAtMs: new Map(),
    orphansSeenTo: new Map(),
    depositsSeenTo: new Map(),
    resumedTo: new Map(),
    stakeSeenAtMs: new Map(),
    loansSeenAtMs: new Map(),
    energyLent: new Lru(ENERGY_LENT_MAX),
    sweptTo: new Map(),
    reconciledTo: { ledger: undefined, chains: new Map() },
    coverWaits: new Map(),
    refundWaits: new Map(),
    failuresSeen: new Set(),
    references: new Lru(REFERENCES_MAX),
    paymentReads: new Lru(PAYMENT_READS_MAX),
    ...createRulesMemory(),
    rates: createRatesMemory(),
    throttles: new Lru(THROTTLES_MAX),
    ...newTurns(),
    shares: new Shares({ atOnce, waitMaxMs: PLACE_MS, slowAfterMs: SLOW_AFTER_MS }),
    refundTurns: new FairTurns({ atOnce, slowAfterMs: SLOW_AFTER_MS }),
    withdrawalTrail: new AuditTrail(db),
    creditTrail: new CreditTrail(db),
    auditHeadNotedAtMs: undefined,
    eventsPrunedTo: 0,
    ledgerQueues: new KeyedBatches(CHECKED_TOGETHER_MAX),
    walkedLedgers: new Lru(LEDGERS_MAX),
    balancesQueue: new KeyedBatches(CHECKED_TOGETHER_MAX),
    provenBalances: undefined,
    reconcileRuns: new Map(),
    idSpans: new IdSpans(),
    ledgerTotals: new Lru(PERIODS_MAX),
    ledgerPass: undefined,
    requests: new RequestNotes(),
    looks: new Map(),
  };
}

function newTurns() {
  const make = () => new KeyedTurns();
  return {
    ...{ keyTurns: make(), webhookTurns: make(), batchTurns: make(), ruleTurns: make() },
    ...{ lookTurns: make(), blockTurns: make() },
  };
}

/** One that is added again under the same code may be another chain. */
export function forgetNetwork(memory: Memory, code: string): void {
  const maps = [
    ...[memory.paidLately, memory.blocksAhead, memory.stepSizes, memory.peekedTo],
    ...[memory.traceChoices, memory.tracesUnknownSinceMs],
    ...[memory.endpointsNotedAtMs, memory.orphansSeenTo],
    ...[memory.depositsSeenTo, memory.resumedTo, memory.reconciledTo.chains],
    ...[memory.failuresSeen, memory.stalls, memory.sweptTo, memory.readAgain],
    ...[memory.pendingNoted, memory.inputsSeen, memory.outputsClosedAt, memory.inputsForgottenAt],
  ];
  for (const map of maps) map.delete(code);
}
