import type { Permission } from "./account.ts";
import { recoverSigner, toBase58Check } from "./addresses.ts";
import {
  BadSignature,
  ContractValidation,
  Duplicate,
  Expired,
  TaposMismatch,
  TooBig,
} from "./failures.ts";
import type { Accounts } from "./accounts.ts";
import { hexBytes } from "./api/proto.ts";
import { int64In } from "./api/values.ts";
import { contractOf, ownerOf, type Transaction } from "./transactions.ts";
import { toHex } from "../../base/bytes.ts";
import { zip } from "../../base/lists.ts";

const EXPIRATION_MAX_MS = 86_400_000n;
const TRANSACTION_BYTES_MAX = 500 * 1024;
const SIGNATURE_BYTES = 65;
const SIGNATURES_MAX = 5;

/** The state that a transaction is checked against. */
export interface Surroundings {
  readonly accounts: Accounts;
  readonly headMs: number;
  /** The id of the newest block whose height ends in these two bytes, as hex; of 65,536 blocks. */
  recentBlockId(refBlockBytes: string): string | undefined;
  isKnown(txId: string): boolean;
}

/** The checks that come before a transaction is run, in java-tron's order. */
export function validate(around: Surroundings, transaction: Transaction): void {
  if (transaction.contracts.length !== 1) {
    throw new Error(
      `tx ${transaction.txId} contract size should be exactly 1, this is extend feature ,actual :${transaction.contracts.length}`,
    );
  }
  validateTapos(around, transaction);
  validateSize(transaction);
  validateExpiration(around, transaction);
  if (around.isKnown(transaction.txId)) {
    throw new Duplicate(`dup trans : ${transaction.txId} `);
  }
  validateSignature(around.accounts, transaction);
}

/** Against the account's permissions as they are now. */
export function validateSignature(accounts: Accounts, transaction: Transaction): void {
  const { signatures, contracts } = transaction;
  if (signatures.length === 0 || contracts.length === 0) {
    throw new BadSignature("miss sig or contract");
  }
  if (signatures.length > SIGNATURES_MAX) throw new BadSignature("too many signatures");
  const permission = permissionOf(accounts, transaction);
  if (!permission) throw new BadSignature("permission isn't exit");
  const keys = permission.keys ?? [];
  if (signatures.length > keys.length) {
    throw new BadSignature(
      `Signature count is ${signatures.length} more than key counts of permission : ${keys.length}`,
    );
  }
  const signers = signatures.map((signature) => signerOf(transaction, signature));
  let weight = 0n;
  for (const [i, [signature, signer]] of zip(signatures, signers).entries()) {
    const key = keys.find(({ address }) => address === signer);
    if (!key) {
      throw new BadSignature(
        `${toHex(signature)} is signed by ${
          toBase58Check(signer)
        } but it is not contained of permission.`,
      );
    }
    if (signers.indexOf(signer) !== i) {
      throw new BadSignature(`${toBase58Check(signer)} has signed twice!`);
    }
    weight += key.weight;
  }
  if (weight < (permission.threshold ?? 0n)) throw new BadSignature("sig error");
}

function signerOf({ txId }: Transaction, signature: Uint8Array): string {
  if (signature.length < SIGNATURE_BYTES) {
    throw new BadSignature(`Signature size is ${signature.length}`);
  }
  const signer = recoverSigner(hexBytes(txId), signature);
  if (signer === undefined) throw new BadSignature("Header byte out of range");
  return signer;
}

/** An address without an account is controlled by its own key. */
function permissionOf(accounts: Accounts, transaction: Transaction): Permission | undefined {
  const owner = ownerOf(transaction);
  const { permissionId } = contractOf(transaction);
  const account = accounts.get(owner);
  if (!account) {
    const isDefault = permissionId === 0 || permissionId === 2;
    return isDefault ? { threshold: 1n, keys: [{ address: owner, weight: 1n }] } : undefined;
  }
  return permissionId === 0 ? account.owner : account.actives.find(({ id }) => id === permissionId);
}

function validateTapos(around: Surroundings, { raw }: Transaction): void {
  const bytes = String(raw.ref_block_bytes ?? "");
  const id = around.recentBlockId(bytes);
  if (id === undefined) {
    throw new TaposMismatch(`Tapos failed, block not found, ref block ${bytes}`);
  }
  if (id.slice(16, 32) !== raw.ref_block_hash) {
    throw new TaposMismatch(`Tapos failed, different block hash, ${bytes}, ${raw.ref_block_hash}`);
  }
}

function validateSize({ txId, size }: Transaction): void {
  if (size > TRANSACTION_BYTES_MAX) {
    throw new TooBig(
      `Too big transaction, TxId ${txId}, the size is ${size} bytes, maxTxSize ${TRANSACTION_BYTES_MAX}`,
    );
  }
}

function validateExpiration({ headMs }: Surroundings, { raw }: Transaction): void {
  const [expiration, head] = [int64In(raw.expiration), BigInt(headMs)];
  if (expiration <= head || expiration > head + EXPIRATION_MAX_MS) {
    throw new Expired(
      `Transaction expiration, transaction expiration time is ${expiration}, but headBlockTime is ${head}`,
    );
  }
}

/** The first check of a broadcast. */
export function checkNextSlot({ raw }: Transaction, nextSlotMs: number): void {
  if (int64In(raw.expiration) < BigInt(nextSlotMs)) {
    throw new Expired(
      `Transaction expiration time is ${
        int64In(raw.expiration)
      }, but next slot time is ${nextSlotMs}`,
    );
  }
}

export function requireContract({ contracts }: Transaction): void {
  if (contracts.length === 0) throw new ContractValidation("No contract!");
}
