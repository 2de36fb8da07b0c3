import { isoUtc } from "../../domain/time.ts";

/** One line of what was changed. */
export interface Change {
  readonly name: string;
  /** Undefined: there is nothing to compare with. */
  readonly before?: string;
  readonly after: string;
  /** Both are ids of accounts. */
  readonly isAccount?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** More of them aren't all shown at once. */
export const SHOWN_MAX = 4;

const LINES_MAX = 40;
const ITEMS_MAX = 20;
const TEXT_MAX = 300;

/** What a single value before and after was. */
const ALONE: ReadonlyMap<string, string> = new Map([
  ["account.receiving_wallet_set", "address"],
  ["withdrawal.approved", "approvals"],
]);

/** Only what is different, if both sides are known. The row's own account is shown beside it. */
export function changesOf({ action, detail }: { action: string; detail: Fields }): Change[] {
  const { before, after, change, accountId: _, codes: _codes, ...rest } = detail;
  const isMove = typeof rest.from === "string" && typeof rest.to === "string";
  const { from, to, ...others } = untold(rest, after);
  const lines = [
    ...compared(ALONE.get(action) ?? "value", { before, after, change }),
    ...isMove ? [{ name: "status", before: shown("", from), after: shown("", to) }] : [],
    ...listed(isMove ? others : untold(rest, after)),
  ];
  if (lines.length <= LINES_MAX) return lines;
  const more = lines.length - LINES_MAX;
  return [...lines.slice(0, LINES_MAX), { name: "and", after: `${more} more` }];
}

/** The same in one line. */
export function changesText(row: { action: string; detail: Fields }): string | null {
  const lines = changesOf(row);
  if (lines.length === 0) return null;
  const said = lines.slice(0, SHOWN_MAX).map(({ name, before, after }) =>
    `${name} ${before === undefined ? "" : `${before} → `}${after}`
  );
  const more = lines.length - said.length;
  return [...said, ...more > 0 ? [`${more} more`] : []].join("; ");
}

/** Without what is already said by the comparison. */
function untold(rest: Fields, after: unknown): Fields {
  if (!isFields(after)) return rest;
  return Object.fromEntries(Object.entries(rest).filter(([name, one]) => after[name] !== one));
}

function compared(
  alone: string,
  { before, after, change }: { before: unknown; after: unknown; change: unknown },
): Change[] {
  if (before === undefined && after === undefined && change === undefined) return [];
  const [old, fresh] = [flat(before), flat(change === undefined ? after : change)];
  if (!old && !fresh) return [{ name: alone, ...sides(alone, before ?? null, after ?? null) }];
  if (!old || Object.keys(old).length === 0) return listed(fresh ?? {});
  if (!fresh) return listed(old).map((line) => ({ ...line, before: line.after, after: "–" }));
  return Object.keys(change === undefined ? { ...old, ...fresh } : fresh)
    .filter((name) => JSON.stringify(old[name]) !== JSON.stringify(fresh[name]))
    .map((name) => ({
      ...named(name),
      ...sides(name, old[name] ?? null, fresh[name] ?? null),
    }));
}

function sides(name: string, before: unknown, after: unknown) {
  return { before: shown(name, before), after: shown(name, after) };
}

/** The row itself says these. */
const UNTOLD = ["id", "createdAtMs"];

/** Without what isn't there. */
function listed(fields: Fields): Change[] {
  return Object.entries(flat(fields) ?? {})
    .filter(([name, value]) => !UNTOLD.includes(name) && value !== null && value !== undefined)
    .map(([name, value]) => ({ ...named(name), after: shown(name, value) }));
}

/** Objects inside give their fields; undefined if it is no object. */
function flat(value: unknown): Record<string, unknown> | undefined {
  if (!isFields(value)) return undefined;
  const fields = Object.entries(value).flatMap(([name, one]): [string, unknown][] =>
    isFields(one)
      ? Object.entries(one).map(([inner, deep]) => [`${name} ${inner}`, deep])
      : [[name, one]]
  );
  return Object.fromEntries(fields);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ["rpcUrls", "nodes"],
  ["wsUrls", "sockets of nodes"],
  ["ipList", "allowed IP addresses"],
  ["by", "with"],
]);

function named(name: string): Pick<Change, "name" | "isAccount"> {
  const isAccount = name === "accountId" || name === "account";
  return isAccount ? { name: "account", isAccount } : { name: nameText(name) };
}

/** "minDepositAmount" as "min deposit amount". */
function nameText(name: string): string {
  return NAMES.get(name) ?? name
    .replace(/(At)?Ms$|(_at)?_ms$/, "")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase()
    .replace(/^is /, "");
}

const UNITS = [["d", 86_400_000], ["h", 3_600_000], ["min", 60_000], ["s", 1_000]] as const;

function shown(name: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number" && /(AtMs|UntilMs|_at_ms)$/.test(name)) return momentText(value);
  if (typeof value === "number" && /(Ms|_ms)$/.test(name)) return spanText(value);
  if (Array.isArray(value)) return cut(itemsText(value));
  return cut(typeof value === "object" ? JSON.stringify(value) : String(value));
}

function momentText(ms: number): string {
  const iso = isoUtc(ms);
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}

function spanText(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, one]) => ms >= one && ms % one === 0) ?? ["ms", 1];
  return `${ms / unitMs} ${unit}`;
}

function itemsText(items: readonly unknown[]): string {
  if (items.length === 0) return "none";
  const text = items.slice(0, ITEMS_MAX)
    .map((item) => typeof item === "object" ? JSON.stringify(item) : String(item)).join(", ");
  return items.length > ITEMS_MAX ? `${text} and ${items.length - ITEMS_MAX} more` : text;
}

function cut(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text;
}
