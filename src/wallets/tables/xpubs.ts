import { defineTable, int, type RowOf, text } from "../../store/tables/table.ts";

/** Merchants' own keys, from which deposit addresses were or may be derived. */
export const Xpubs = defineTable("xpubs", {
  columns: {
    id: int(),
    /** In no encoding: the public key and its chain code. */
    keyId: text(),
    /** Whose it is from its first use on. */
    accountId: int(),
    createdAtMs: int(),
  },
  primary: ["id"],
  unique: { key: ["keyId"] },
  isSerial: true,
  sealedExcept: [],
});
export type XpubRow = RowOf<typeof Xpubs>;
