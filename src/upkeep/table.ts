import { defineTable, int, type RowOf, text } from "../store/tables/table.ts";

export const Instances = defineTable("instances", {
  columns: {
    instance: text(),
    beat: int(),
    masterKeyId: text(),
    startedAtMs: int(),
    seenAtMs: int(),
    /** Where payers reach it, sealed with the master key; null: it doesn't say. */
    publicUrl: text().orNull(),
  },
  primary: ["instance"],
});
export type InstanceRow = RowOf<typeof Instances>;

export const Leases = defineTable("leases", {
  columns: {
    job: text(),
    /** Empty for a job without a network. */
    network: text(),
    instance: text().orNull(),
    fence: int(),
  },
  primary: ["job", "network"],
});
export type LeaseRow = RowOf<typeof Leases>;

export const RateBuckets = defineTable("rate_buckets", {
  columns: {
    keyId: text(),
    tokensMicro: int(),
    updatedAtMs: int(),
  },
  primary: ["keyId"],
});
export type RateBucketRow = RowOf<typeof RateBuckets>;

export const MasterKeys = defineTable("master_keys", {
  columns: {
    id: int(),
    keyId: text(),
    /** These three are set while the key is being changed. */
    oldKeyId: text().orNull(),
    newByOld: text().orNull(),
    oldByNew: text().orNull(),
    changedAtMs: int(),
  },
  primary: ["id"],
});
export type MasterKeyRow = RowOf<typeof MasterKeys>;

export const INSTANCE_TABLES = [Instances, Leases, RateBuckets, MasterKeys];
