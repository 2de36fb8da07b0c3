import type { Direction, TransactionStatus } from "../../domain/states/transaction_moves.ts";
import type { EventType } from "../../domain/events.ts";
import type { LedgerKind } from "../../domain/money/balance.ts";
import type { SweepState } from "../../domain/states/sweep_moves.ts";
import type { Permission } from "../../domain/permissions.ts";
import type { WithdrawalStatus, WithdrawalTrigger } from "../../domain/states/withdrawal_moves.ts";

export interface NetworkRow {
  readonly code: string;
  readonly family: "evm" | "tron";
  readonly name: string;
  readonly nativeSymbol: string;
  readonly nativeDecimals: number;
  readonly chainId: string;
  readonly genesisHash: string | null;
  readonly rpcUrls: readonly string[];
  readonly minConfirmations: number;
  readonly pollIntervalMs: number;
  readonly startHeight: number;
  readonly finality: "none" | "finalized";
  readonly quorum: number;
  readonly traces: "auto" | "on" | "off";
  readonly feeModel: "l1" | "op_stack" | "arbitrum";
  readonly gasPriceMaxRaw: string | null;
  /** The most native coin that one transaction may cost. Null: the chain's default. */
  readonly feeMax: string | null;
  readonly hotGasTarget: string;
  readonly isActive: boolean;
  readonly createdAtMs: number;
}

export interface NetworkCursorRow {
  readonly network: string;
  readonly scanHeight: number;
  readonly topHeight: number;
  readonly tipHeight: number;
  readonly finalizedHeight: number | null;
  readonly finalizedAgeMs: number | null;
  readonly haltedReason: string | null;
  /** What blocks paid for a unit of gas, as it is remembered. */
  readonly paidRaw: string | null;
  readonly paidAtMs: number | null;
  /** Of what was refused because of its fee, until that would fit again. */
  readonly refusedGas: string | null;
  readonly updatedAtMs: number;
}

export interface NetworkBlockRow {
  readonly network: string;
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
}

export interface CurrencyRow {
  readonly network: string;
  readonly symbol: string;
  readonly name: string;
  readonly contractAddress: string | null;
  readonly decimals: number;
  readonly minDepositAmount: string;
  readonly minWithdrawalAmount: string;
  readonly feeFlat: string;
  readonly feePercent: string;
  readonly sweepMinAmount: string;
  readonly nativeRate: string | null;
  readonly gasMax: number | null;
  readonly isActive: boolean;
  readonly createdAtMs: number;
}

export interface AccountRow {
  readonly id: number;
  readonly name: string;
  /** Whether its own users may bump, resend and revoke withdrawals. */
  readonly mayPush: boolean;
  /** Null unless an operator has suspended it. */
  readonly suspendedAtMs: number | null;
  readonly suspendedReason: string | null;
  readonly createdAtMs: number;
}

export interface AccountCurrencyRow {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
  readonly isDepositEnabled: boolean;
  readonly isWithdrawalEnabled: boolean;
  /** An operator switched it off: no merchant enables it. */
  readonly isDepositBarred: boolean;
  readonly isWithdrawalBarred: boolean;
}

export interface ReceivingWalletRow {
  readonly accountId: number;
  readonly network: string;
  readonly address: string;
}

export interface ApiKeyRow {
  readonly keyId: string;
  readonly accountId: number;
  readonly label: string;
  readonly secretSealed: string;
  readonly permissions: readonly Permission[];
  readonly ipList: readonly string[];
  readonly rateLimit: number;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
}

export interface AddressRow {
  readonly id: number;
  readonly accountId: number | null;
  readonly network: string;
  readonly purpose: "deposit" | "hot" | "gas";
  readonly address: string;
  readonly keyCoinType: number;
  readonly keyAccount: number;
  readonly keyBranch: number;
  readonly keyIndex: number;
  readonly userIdentifier: string | null;
  readonly reusableAtMs: number | null;
  readonly currentRequestId: number | null;
  readonly haltedReason: string | null;
  readonly nonceFloor: number;
  readonly createdAtMs: number;
}

export interface DepositRequestRow {
  readonly id: number;
  readonly accountId: number;
  readonly keyId: string;
  readonly idempotencyKey: string | null;
  readonly network: string;
  readonly currency: string;
  readonly contractAddress: string | null;
  readonly addressId: number;
  readonly address: string;
  readonly userIdentifier: string | null;
  readonly displayExpiresAtMs: number;
  readonly monitoredUntilMs: number;
  readonly createdAtMs: number;
}

export interface WithdrawalRow {
  readonly id: number;
  readonly accountId: number;
  readonly keyId: string;
  readonly clientReference: string | null;
  readonly network: string;
  readonly currency: string;
  readonly toAddress: string;
  readonly amount: string;
  readonly fee: string;
  readonly status: WithdrawalStatus;
  /** The signed bytes that may pay it, null before them and once they were given up. */
  readonly transferId: number | null;
  readonly txHash: string | null;
  readonly errorMessage: string | null;
  readonly failureReason: WithdrawalTrigger | null;
  readonly requestedAtMs: number;
  readonly broadcastAtMs: number | null;
  readonly confirmedAtMs: number | null;
}

export interface SweepRow {
  readonly id: number;
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
  readonly addressId: number;
  readonly state: SweepState;
  readonly open: 1 | null;
  readonly reason: string | null;
  readonly failures: number;
  readonly nextTryAtMs: number;
  readonly createdAtMs: number;
}

export interface TransactionRow {
  readonly id: number;
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
  readonly direction: Direction;
  readonly status: TransactionStatus;
  readonly txHash: string;
  readonly position: number;
  /** 1 while this row stands for its movement, null once it failed. */
  readonly live: 1 | null;
  readonly fromAddress: string;
  readonly toAddress: string;
  readonly amount: string;
  /** The block it was last seen in, 0 before that. */
  readonly blockNumber: number;
  /** Null while it is in no block. */
  readonly blockHash: string | null;
  readonly sender: string;
  readonly senderNonce: number;
  readonly addressId: number | null;
  readonly depositRequestId: number | null;
  readonly withdrawalId: number | null;
  readonly sweepId: number | null;
  readonly isBelowMinimum: boolean;
  readonly createdAtMs: number;
  readonly confirmedAtMs: number | null;
  /** When the block was made that it was first seen in, as the chain tells. Null: not known. */
  readonly minedAtMs: number | null;
}

export interface SignedTransferRow {
  readonly id: number;
  readonly network: string;
  readonly sender: string;
  readonly nonce: number;
  /** The nonce while these are its newest bytes, null once they were outbid or given up. */
  readonly liveNonce: number | null;
  readonly txHash: string;
  readonly raw: string;
  readonly purpose: "withdrawal" | "sweep" | "gas_topup" | "void" | "foreign";
  readonly withdrawalId: number | null;
  readonly sweepId: number | null;
  /** The row that the account sees of it. */
  readonly transactionId: number | null;
  readonly toAddress: string;
  readonly contractAddress: string | null;
  readonly amountRaw: string;
  readonly nativeCostMaxRaw: string;
  readonly state: "open" | "settled" | "superseded" | "abandoned";
  readonly blockNumber: number;
  readonly blockHash: string | null;
  readonly isSuccessful: boolean | null;
  readonly feeRaw: string | null;
  readonly arrivedRaw: string | null;
  readonly signedAtHeight: number;
  readonly createdAtMs: number;
  readonly sentAtMs: number | null;
  /** Coins for a recipient whose code runs when they come; otherwise null. */
  readonly callsCode: true | null;
}

export interface BalanceKey {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
}

export interface BalanceRow extends BalanceKey {
  readonly balance: string;
  readonly held: string;
}

export interface FreezeRow extends BalanceKey {
  readonly reason: string;
  readonly createdAtMs: number;
}

export interface LedgerCheckRow extends BalanceKey {
  readonly entryId: number;
  readonly balance: string;
  readonly held: string;
}

export interface LedgerEntryRow {
  readonly id: number;
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
  readonly kind: LedgerKind;
  readonly amount: string;
  readonly balanceAfter: string;
  readonly heldAfter: string;
  readonly transactionId: number | null;
  readonly withdrawalId: number | null;
  readonly note: string | null;
  readonly createdAtMs: number;
}

export interface EventRow {
  readonly id: number;
  readonly eventId: string;
  readonly accountId: number;
  readonly type: EventType;
  readonly transactionId: number | null;
  readonly withdrawalId: number | null;
  readonly payload: unknown;
  readonly createdAtMs: number;
}

export interface AlertRow {
  readonly id: number;
  readonly kind: string;
  readonly subject: string;
  readonly message: string;
  /** 1 until it is resolved, then null. */
  readonly open: 1 | null;
  readonly createdAtMs: number;
  readonly resolvedAtMs: number | null;
}
