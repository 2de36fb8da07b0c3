import { defineTable, int, type RowOf, text } from "../store/tables/table.ts";

/** A contract that a gas wallet has deployed to collect from deposit addresses, or is about to. */
export const Collectors = defineTable("collectors", {
  columns: {
    network: text(),
    /** The gas wallet, which alone can use it. */
    owner: text(),
    /** The hash of what deploys it: another build is another contract. */
    build: text(),
    /** Of the transaction that deploys it. The address follows from it. */
    nonce: int(),
    address: text(),
    /** The hash of the code that must be there. */
    codeHash: text(),
    createdAtMs: int(),
  },
  primary: ["network", "owner", "build"],
  sealedExcept: [],
});
export type CollectorRow = RowOf<typeof Collectors>;
