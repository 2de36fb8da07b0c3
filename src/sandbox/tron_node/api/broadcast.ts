import { toHex, utf8 } from "../../../base/bytes.ts";
import type { Chain } from "../chain.ts";
import {
  BadSignature,
  ContractExecution,
  ContractValidation,
  Duplicate,
  Expired,
  ResourceInsufficient,
  TaposMismatch,
  TooBig,
} from "../failures.ts";
import type { Message } from "./values.ts";
import type { Transaction } from "../transactions.ts";
import { checkNextSlot, requireContract, validateSignature } from "../validate.ts";

const REMEMBERED_MS = 3_600_000;

/** The connection between the node and the network. */
export interface Connections {
  /** Peers that are in sync, all peers, and how many the node wants before it sends. */
  effective: number;
  active: number;
  wanted: number;
  /** True if pooled transactions reach other nodes. */
  isGossiping: boolean;
  /** `node.unsolidifiedBlockCheck` found too many blocks that are not solid. */
  isUnsolidified: boolean;
  pendingMax: number;
}

export const WELL_CONNECTED: Connections = {
  effective: 30,
  active: 30,
  wanted: 1,
  isGossiping: true,
  isUnsolidified: false,
  pendingMax: 2_000,
};

/** Checks in the order of java-tron, which remembers a transaction before it checks it. */
export class Broadcaster {
  /** Transaction ids, and until when sending them again is a duplicate. */
  readonly #seen = new Map<string, number>();

  constructor(readonly chain: Chain, readonly connections: Connections) {}

  /** `result`, `code` and a `message` in hex, zeros left out. */
  send(transaction: Transaction): Message {
    const refusal = this.#unready() ?? this.#duplicate(transaction.txId);
    if (refusal) return refusal;
    try {
      requireContract(transaction);
      checkNextSlot(transaction, this.chain.nextSlotMs);
      validateSignature(this.chain.accounts, transaction);
      this.chain.take(transaction);
    } catch (error) {
      return refused(...codeOf(error));
    }
    if (!this.connections.isGossiping && this.connections.wanted !== 0) {
      return refused("NOT_ENOUGH_EFFECTIVE_CONNECTION", "P2P broadcast failed.");
    }
    return { result: true };
  }

  /** It is kept in memory only. */
  forget(): void {
    this.#seen.clear();
  }

  #unready(): Message | undefined {
    const { effective, active, wanted, isUnsolidified, pendingMax } = this.connections;
    if (isUnsolidified) return refused("BLOCK_UNSOLIDIFIED", "Block unsolidified.");
    if (wanted !== 0 && active === 0) return refused("NO_CONNECTION", "No connection.");
    if (effective < wanted) {
      return refused(
        "NOT_ENOUGH_EFFECTIVE_CONNECTION",
        `Effective connection:${effective} lt minEffectiveConnection:${wanted}`,
      );
    }
    return this.chain.pool.length >= pendingMax
      ? refused("SERVER_BUSY", "Server busy.")
      : undefined;
  }

  #duplicate(txId: string): Message | undefined {
    const now = this.chain.nowMs;
    if ((this.#seen.get(txId) ?? 0) > now) {
      return refused("DUP_TRANSACTION_ERROR", "Transaction already exists.");
    }
    for (const [known, untilMs] of this.#seen) {
      if (untilMs > now) break;
      this.#seen.delete(known);
    }
    this.#seen.set(txId, now + REMEMBERED_MS);
    return undefined;
  }
}

function refused(code: string, message: string): Message {
  return { code, message: toHex(utf8(message)) };
}

function codeOf(error: unknown): [code: string, message: string] {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof BadSignature) return ["SIGERROR", `Validate signature error: ${text}`];
  if (error instanceof ContractValidation) {
    return ["CONTRACT_VALIDATE_ERROR", `Contract validate error : ${text}`];
  }
  if (error instanceof ContractExecution) {
    return ["CONTRACT_EXE_ERROR", `Contract execute error : ${text}`];
  }
  if (error instanceof ResourceInsufficient) {
    return ["BANDWITH_ERROR", "Account resource insufficient error."];
  }
  if (error instanceof Duplicate) return ["DUP_TRANSACTION_ERROR", "Dup transaction."];
  if (error instanceof TaposMismatch) return ["TAPOS_ERROR", "Tapos check error."];
  if (error instanceof TooBig) return ["TOO_BIG_TRANSACTION_ERROR", text];
  if (error instanceof Expired) return ["TRANSACTION_EXPIRATION_ERROR", "Transaction expired"];
  return ["OTHER_ERROR", `Error: ${text}`];
}
