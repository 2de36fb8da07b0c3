import { parseCidr } from "../base/net/cidr.ts";
import { Amount, DECIMALS_MAX } from "./money/amount.ts";
import { plainAmount } from "./money/amount_text.ts";
import { EVENT_TYPES, type EventType } from "../webhooks/rules/events.ts";
import { isPermission, type Permission, PERMISSIONS } from "../access/rules/permissions.ts";
import { durationMs, durationText } from "./time.ts";

/** Parses a text that somebody entered. */
export interface Kind<T> {
  /** Stands for the value in a usage line. */
  readonly word: string;
  /** Completes the sentence "this text is not …". */
  readonly is: string;
  /** Everything it can be, or what is usual. */
  readonly values?: readonly string[];
  /** How a program writes it, if not as text. */
  readonly json?: "boolean" | "number" | "list" | "file";
  /** In a form of a page, a decimal comma will do. */
  readonly isDecimal?: true;
  /** How long a text may be. */
  readonly charsMax?: number;
  /** An invalid text isn't repeated in the error, because it may be a secret. */
  readonly isSecret?: boolean;
  /** Undefined if the text is invalid. */
  read(text: string): T | undefined;
  /** As somebody would enter it, if that isn't its plain text. */
  show?(value: T): string;
}

/** A flag without a value. */
export const present: Kind<boolean> = { word: "", is: "", json: "boolean", read: () => true };

/** For secrets: every program on the machine can read a command line. */
export const standardInput: Kind<true> = {
  word: "-",
  is: '"-", because a secret is read from standard input and never from the command line',
  isSecret: true,
  read: (text) => text === "-" ? true : undefined,
};

export const databaseServer: Kind<string> = {
  word: "URL",
  is: "the address of a libSQL server, such as libsql://cpg.example.com",
  read: (value) => /^(libsql|https?|wss?):\/\/[!-~]+$/.test(value) ? value : undefined,
};

export const onOff: Kind<boolean> = {
  word: "on|off",
  is: "on or off",
  json: "boolean",
  values: ["on", "off"],
  read: (text) => text === "on" ? true : text === "off" ? false : undefined,
};

export function text({ max, word = "TEXT" }: { max: number; word?: string }): Kind<string> {
  return {
    word,
    charsMax: max,
    is: `a text of 1 to ${max} characters`,
    read: (value) => {
      const isPlain = value.isWellFormed() && !value.includes("\0") && value.trim() !== "";
      return isPlain && value.length <= 2 * max && [...value].length <= max ? value : undefined;
    },
  };
}

export const auditHash: Kind<string> = {
  word: "HASH",
  is: "32 hex digits",
  read: (value) => /^[0-9a-f]{32}$/i.test(value) ? value.toLowerCase() : undefined,
};

export function integer({ min, max }: { min: number; max: number }): Kind<number> {
  return {
    word: "N",
    json: "number",
    is: `a whole number from ${min} to ${max}`,
    read: (value) => {
      const number = Number(value);
      return /^\d{1,16}$/.test(value) && number >= min && number <= max ? number : undefined;
    },
  };
}

/** A limit above any block's gas would be none. */
export const gasMax: Kind<number> = integer({ min: 0, max: 30_000_000 });

export function choice<const C extends string>(choices: readonly C[]): Kind<C> {
  return {
    word: choices.join("|"),
    is: `one of ${choices.join(", ")}`,
    values: choices,
    read: (value) => choices.find((candidate) => candidate === value),
  };
}

/** Stored in capitals. */
export const networkCode: Kind<string> = {
  word: "CODE",
  is: "1 to 32 characters of A-Z, a-z, 0-9, _, . and -",
  read: (value) => /^[\w.-]{1,32}$/.test(value) ? value.toUpperCase() : undefined,
};

export const symbol: Kind<string> = {
  word: "SYMBOL",
  is: "1 to 32 characters of A-Z, a-z, 0-9, _, . and -",
  read: (value) => /^[\w.-]{1,32}$/.test(value) ? value : undefined,
};

export const symbolOrOff: Kind<string | null> = {
  word: "SYMBOL|off",
  is: "a currency or off",
  read: (text) => text === "off" ? null : symbol.read(text),
};

export const blockHeight: Kind<number> = {
  ...integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
  is: "a block number",
};

export const blockOrLatest: Kind<number | "latest"> = {
  word: "N|latest",
  json: "number",
  is: "a block number or latest",
  read: (value) => value === "latest" ? value : blockHeight.read(value),
};

export const chainId: Kind<string> = {
  word: "N",
  json: "number",
  is: "a chain id, a whole number from 1",
  read: (value) => /^[1-9]\d{0,19}$/.test(value) ? value : undefined,
};

export const decimals = integer({ min: 0, max: DECIMALS_MAX });
export const recordId = integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

export const webUrl: Kind<string> = {
  word: "URL",
  is: "an http:// or https:// address",
  read: (value) => /^https?:\/\//i.test(value) && URL.canParse(value) ? value : undefined,
};

/** Of pushed heads. */
export const socketUrl: Kind<string> = {
  word: "URL",
  is: 'a ws:// or wss:// address, or "" for none',
  read: (value) =>
    value === "" || /^wss?:\/\//i.test(value) && URL.canParse(value) ? value : undefined,
};

export const amount: Kind<string> = {
  word: "AMOUNT",
  json: "number",
  isDecimal: true,
  is: "a plain decimal number such as 12.5",
  read: (value) => plainAmount(value) && canonical(value),
};

/** Null: the default. Zero is refused, because it would stop every payment. */
export const feeMax: Kind<string | null> = {
  word: "AMOUNT|none",
  json: "number",
  isDecimal: true,
  is: "a plain decimal number above 0, such as 0.05, or none",
  read: (value) => {
    if (value === "none" || value === "default") return null;
    const plain = amount.read(value);
    return plain === "0" ? undefined : plain;
  },
};

/** In the family's unit. */
export const gasPrice: Kind<string> = {
  word: "PRICE",
  json: "number",
  isDecimal: true,
  is: "a plain decimal number with up to 9 decimals",
  read: (value) => /^\d{1,12}(\.\d{1,9})?$/.test(value) ? value : undefined,
};

/** The value of one unit in the native coin. Null: unknown. */
export const rate: Kind<string | null> = {
  word: "RATE",
  json: "number",
  isDecimal: true,
  is: "a plain decimal number such as 0.0003",
  read: (value) => {
    const plain = plainAmount(value);
    if (plain === undefined) return undefined;
    return Amount.parse(plain, "").isZero() ? null : canonical(plain);
  },
};

export const signedAmount: Kind<string> = {
  word: "AMOUNT",
  json: "number",
  isDecimal: true,
  is: "a plain decimal number such as 12.5 or -2.5",
  read: (value) => plainAmount(value.replace(/^-/, "")) && canonical(value),
};

export const percent: Kind<string> = {
  word: "PERCENT",
  json: "number",
  isDecimal: true,
  is: "a plain decimal number from 0 to 100",
  read: (value) => {
    const isInRange = /^0*(\d{1,2}(\.\d+)?|100(\.0+)?)$/.test(value);
    return isInRange && plainAmount(value) ? canonical(value) : undefined;
  },
};

export const permissions: Kind<Permission[]> = {
  word: "all|NAME,…",
  json: "list",
  is: `all or a list of ${PERMISSIONS.join(", ")}`,
  values: ["all", ...PERMISSIONS],
  read: (value) => {
    if (value === "all") return [...PERMISSIONS];
    const names = parts(value);
    return names.length > 0 && names.every(isPermission) ? names : undefined;
  },
};

/** Null: all of them. */
export const eventTypes: Kind<EventType[] | null> = {
  word: "all|TYPE,…",
  json: "list",
  is: `all or a list of ${EVENT_TYPES.join(", ")}`,
  values: ["all", ...EVENT_TYPES],
  read: (value) => {
    if (value === "all") return null;
    const types = parts(value).map((part) => EVENT_TYPES.find((type) => type === part));
    return types.every((type) => type !== undefined) ? types : undefined;
  },
};

export const moment: Kind<number> = {
  word: "TIME",
  is: "a time such as 2026-01-31 or 2026-01-31T12:00:00Z",
  read: (value) => {
    const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(
      value,
    );
    const atMs = isTime ? Date.parse(value) : NaN;
    return Number.isNaN(atMs) ? undefined : atMs;
  },
};

export const ipList: Kind<string[]> = {
  word: "IP,…",
  json: "list",
  is: "a list of IP addresses or CIDR ranges",
  read: (value) => {
    const ranges = parts(value);
    return ranges.length > 0 && ranges.every((range) => parseCidr(range)) ? ranges : undefined;
  },
};

/** An empty list: any address. */
export const ipListOrAny: Kind<string[]> = {
  word: "any|IP,…",
  json: "list",
  is: `any or ${ipList.is}`,
  values: ["any"],
  read: (value) => value === "any" ? [] : ipList.read(value),
};

const DAY_MS = 86_400_000;
/** 30s, 15m, 24h or 7d, in milliseconds. */
export function duration(
  { minMs = 0, maxMs }: { minMs?: number; maxMs: number },
): Kind<number> {
  const least = minMs === 0 ? "" : `at least ${durationText(minMs)} and `;
  const usual = ["30s", "15m", "24h", "7d"].filter((text) => {
    const ms = durationMs(text);
    return ms >= minMs && ms <= maxMs;
  });
  const such = `${usual.slice(0, -1).join(", ")} or ${usual.at(-1)}`;
  return {
    word: "TIME",
    is: `a time such as ${such}, ${least}at most ${maxMs / DAY_MS}d`,
    read: (value) => {
      const ms = durationMs(value);
      return ms >= minMs && ms <= maxMs ? ms : undefined;
    },
    show: durationText,
  };
}

/** "007.50" is stored and shown as "7.5". */
function canonical(plain: string): string {
  return Amount.parse(plain, "").toString();
}

function parts(value: string): string[] {
  return [...new Set(value.split(",").map((part) => part.trim()))];
}
