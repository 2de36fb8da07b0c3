import type { Mac } from "../../base/secrets/mac.ts";
import { sealedText, type Seals } from "./seals.ts";
import type { AnyRow, RowValue, Table } from "../tables/table.ts";

/**
 * All balance rows as one number. Each row adds its own number, which can't be computed without the
 * key, so any other set of rows has a different sum. A change subtracts the old row's number and
 * adds the new one's, without reading other rows.
 */
export interface BalancesSum {
  /** How often an operator accepted the rows as they were. */
  readonly turn: number;
  readonly sum: bigint;
}

const MODULUS = 1n << 128n;
const HEX_DIGITS = 32;

export const NO_BALANCES: BalancesSum = { turn: 0, sum: 0n };

/** A row's number as it is, whatever its seal says. */
export function termOf({ mac }: Seals, table: Table<AnyRow>, values: readonly RowValue[]): bigint {
  return numberOf(mac(`summed/${sealedText(table, values)}`));
}

export function moved(sum: bigint, by: bigint): bigint {
  return (((sum + by) % MODULUS) + MODULUS) % MODULUS;
}

/** Replaces a sum that was lost or put back: no rows match it. */
export function lostSum(mac: Mac): BalancesSum {
  return { turn: 0, sum: numberOf(mac("lost sum")) };
}

export function sumText({ turn, sum }: BalancesSum): string {
  return `${turn}:${sum.toString(16).padStart(HEX_DIGITS, "0")}`;
}

/** The stored form, masked by the seal: values before and after a change reveal nothing about a row. */
export function hideSum(mac: Mac, { turn, sum }: BalancesSum, seal: string): string {
  return sumText({ turn, sum: moved(sum, maskOf(mac, seal)) });
}

export function showSum(mac: Mac, text: string, seal: string): BalancesSum {
  const [turn, hidden = ""] = text.split(":");
  const isHex = /^[0-9a-f]{32}$/.test(hidden);
  return {
    turn: Number(turn),
    sum: isHex ? moved(numberOf(hidden), -maskOf(mac, seal)) : -1n,
  };
}

function maskOf(mac: Mac, seal: string): bigint {
  return numberOf(mac(`mask/${seal}`));
}

function numberOf(hex: string): bigint {
  return BigInt(`0x${hex}`);
}
