import { sha256 } from "@noble/hashes/sha2.js";
import { addressOfKey, keyOf, signHash, toBase58Check } from "./addresses.ts";
import type { Chain } from "./chain.ts";
import type { Message } from "./api/values.ts";
import { rawBytesOf, type Transaction, transactionOf } from "./transactions.ts";

const EXPIRES_AFTER_MS = 600_000;
const FEE_LIMIT = 1_000_000_000n;

/** A rich account. Its payments are ordinary transactions, as if somebody else had sent them. */
export class Bank {
  readonly #key = keyOf("bank");
  readonly address = toBase58Check(addressOfKey(this.#key));
  #stamp = 0;

  constructor(readonly chain: Chain) {}

  sign(type: string, value: Message): Transaction {
    const { id } = this.chain.solid;
    const owner_address = addressOfKey(this.#key);
    const raw = rawBytesOf({ type, value: { owner_address, ...value } }, {
      ref_block_bytes: id.slice(12, 16),
      ref_block_hash: id.slice(16, 32),
      expiration: BigInt(this.chain.headMs + EXPIRES_AFTER_MS),
      timestamp: BigInt(this.chain.nowMs + this.#stamp++),
      fee_limit: type === "TriggerSmartContract" ? FEE_LIMIT : 0n,
    });
    return transactionOf(raw, [signHash(sha256(raw), this.#key)]);
  }
}
