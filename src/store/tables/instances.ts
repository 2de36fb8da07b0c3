import { defineTable } from "./table.ts";

export interface InstanceRow {
  readonly instance: string;
  readonly beat: number;
  readonly masterKeyId: string;
  readonly startedAtMs: number;
  readonly seenAtMs: number;
}

export interface LeaseRow {
  readonly job: string;
  /** Empty for a job that is of no network. */
  readonly network: string;
  readonly instance: string | null;
  readonly fence: number;
}

export interface RateBucketRow {
  readonly keyId: string;
  readonly tokensMicro: number;
  readonly updatedAtMs: number;
}

export interface MasterKeyRow {
  readonly id: number;
  readonly keyId: string;
  /** These three while the key is being changed. */
  readonly oldKeyId: string | null;
  readonly newByOld: string | null;
  readonly oldByNew: string | null;
  readonly changedAtMs: number;
}

export const Instances = defineTable<InstanceRow>("instances", {
  columns: {
    instance: "text",
    beat: "int",
    masterKeyId: "text",
    startedAtMs: "int",
    seenAtMs: "int",
  },
  primary: ["instance"],
});

export const Leases = defineTable<LeaseRow>("leases", {
  columns: { job: "text", network: "text", instance: "text", fence: "int" },
  primary: ["job", "network"],
});

export const RateBuckets = defineTable<RateBucketRow>("rate_buckets", {
  columns: { keyId: "text", tokensMicro: "int", updatedAtMs: "int" },
  primary: ["keyId"],
});

export const MasterKeys = defineTable<MasterKeyRow>("master_keys", {
  columns: {
    id: "int",
    keyId: "text",
    oldKeyId: "text",
    newByOld: "text",
    oldByNew: "text",
    changedAtMs: "int",
  },
  primary: ["id"],
});

export const INSTANCE_TABLES = [Instances, Leases, RateBuckets, MasterKeys];
