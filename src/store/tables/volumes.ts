import { defineTable } from "./table.ts";

export interface ApiKeyUseRow {
  readonly keyId: string;
  readonly usedAtMs: number;
  readonly ip: string;
}

export const ApiKeyUses = defineTable<ApiKeyUseRow>("api_key_uses", {
  columns: { keyId: "text", usedAtMs: "int", ip: "text" },
  primary: ["keyId"],
});

export interface VolumeRow {
  /** 0: all accounts together. */
  readonly accountId: number;
  readonly span: "hour" | "day";
  readonly startsAtMs: number;
  readonly network: string;
  readonly currency: string;
  readonly direction: "deposit" | "withdrawal";
  readonly amount: string;
  readonly movements: number;
}

export const Volumes = defineTable<VolumeRow>("volumes", {
  columns: {
    accountId: "int",
    span: "text",
    startsAtMs: "int",
    network: "text",
    currency: "text",
    direction: "text",
    amount: "text",
    movements: "int",
  },
  primary: ["accountId", "span", "startsAtMs", "network", "currency", "direction"],
});

export interface VolumeCursorRow {
  readonly id: number;
  readonly entryId: number;
}

export const VolumeCursor = defineTable<VolumeCursorRow>("volume_cursor", {
  columns: { id: "int", entryId: "int" },
  primary: ["id"],
});

export const VOLUME_TABLES = [ApiKeyUses, Volumes, VolumeCursor];
