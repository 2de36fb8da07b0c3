import { defineTable, int, type RowOf, text } from "../../store/tables/table.ts";

export const ApiKeyUses = defineTable("api_key_uses", {
  columns: {
    keyId: text(),
    usedAtMs: int(),
    ip: text(),
  },
  primary: ["keyId"],
});
export type ApiKeyUseRow = RowOf<typeof ApiKeyUses>;

export const Volumes = defineTable("volumes", {
  columns: {
    /** 0: all accounts together. */
    accountId: int(),
    span: text<"hour" | "day">(),
    startsAtMs: int(),
    network: text(),
    currency: text(),
    direction: text<"deposit" | "withdrawal">(),
    amount: text(),
    movements: int(),
  },
  primary: ["accountId", "span", "startsAtMs", "network", "currency", "direction"],
});
export type VolumeRow = RowOf<typeof Volumes>;

export const VolumeCursor = defineTable("volume_cursor", {
  columns: {
    id: int(),
    entryId: int(),
  },
  primary: ["id"],
});

export const VOLUME_TABLES = [ApiKeyUses, Volumes, VolumeCursor];
