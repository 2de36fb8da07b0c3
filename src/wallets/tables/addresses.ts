import type { KeyBranch } from "../rules/key_path.ts";
import type { HaltCode } from "../../domain/reason_codes.ts";
import { defineTable, int, type RowOf, text } from "../../store/tables/table.ts";

export const Addresses = defineTable("addresses", {
  columns: {
    id: int(),
    accountId: int().orNull(),
    network: text(),
    purpose: text<"deposit" | "hot" | "gas">(),
    address: text(),
    keyCoinType: int(),
    keyAccount: int(),
    keyBranch: int<KeyBranch>(),
    keyIndex: int(),
    userIdentifier: text().orNull(),
    reusableAtMs: int().orNull(),
    currentRequestId: int().orNull(),
    haltedReason: text().orNull(),
    nonceFloor: int(),
    createdAtMs: int(),
    haltedCode: text<HaltCode>().orNull(),
  },
  primary: ["id"],
  unique: {
    address: ["network", "address"],
    key: ["keyCoinType", "keyAccount", "keyBranch", "keyIndex"],
    sticky: ["accountId", "network", "userIdentifier"],
  },
  isSerial: true,
  sealedExcept: ["reusableAtMs", "currentRequestId"],
});
export type AddressRow = RowOf<typeof Addresses>;

export const DepositRequests = defineTable("deposit_requests", {
  columns: {
    id: int(),
    accountId: int(),
    keyId: text(),
    idempotencyKey: text().orNull(),
    network: text(),
    currency: text(),
    contractAddress: text().orNull(),
    addressId: int(),
    address: text(),
    userIdentifier: text().orNull(),
    displayExpiresAtMs: int(),
    monitoredUntilMs: int(),
    createdAtMs: int(),
    /** The request that got the address, of the same invoice and for another of its coins. */
    sharedWithId: int().orNull(),
  },
  primary: ["id"],
  unique: {
    idempotency: ["keyId", "idempotencyKey"],
    shared: ["sharedWithId", "currency"],
  },
  isSerial: true,
  sealedExcept: [],
});
export type DepositRequestRow = RowOf<typeof DepositRequests>;
