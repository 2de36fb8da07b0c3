import { MOVED, NOT_MOVED } from "./evm_collector.ts";
import { hex, word } from "./evm_shown.ts";
import { DELEGATION } from "./evm_state.ts";
import type { Random } from "./random.ts";

interface Told {
  readonly answer: unknown;
  readonly random: Random;
}

type Fields = Record<string, unknown>;

/** As the hash of it. */
const NO_CODE = `0x${"0".repeat(64)}`;
const ANOTHER = "bad0".repeat(10);

/** One field of it is wrong; undefined if there is nothing to lie about. */
export function lieAbout(
  { method, params }: { readonly method: string; readonly params: readonly unknown[] },
  { answer, random }: Told,
): unknown {
  const shown = structuredClone(answer);
  const one = (all: unknown) => {
    const list = all as Fields[] | null;
    return list && list.length > 0 ? random.pick(list) : undefined;
  };
  const changed = (fields: Fields | undefined) => fields && change(fields, random) && shown;
  switch (method) {
    case "eth_getBalance":
      return hex(BigInt(String(answer)) + 10n ** 18n);
    case "eth_getTransactionCount":
      return hex(Number(answer) + random.pick([1, 2, 7, 10_000]));
    case "eth_getCode":
      return String(answer) === "0x" ? `${DELEGATION}${ANOTHER}` : "0x";
    case "eth_call": {
      const [fields, , overrides] = params as Fields[];
      const isOfCodes = overrides !== undefined && String(fields?.to) in overrides;
      const text = String(answer);
      const lie = text.startsWith(NO_CODE)
        ? text.slice(2, 66).replaceAll("0", "b")
        : NO_CODE.slice(2);
      return isOfCodes ? `0x${lie}${text.slice(66)}` : undefined;
    }
    case "eth_estimateGas":
      return hex(BigInt(String(answer)) * 4n / 10n);
    case "eth_getBlockByNumber":
    case "eth_getBlockByHash":
      return params[1] === true ? changed(one((shown as Fields | null)?.transactions)) : undefined;
    case "eth_getBlockReceipts":
      return changed(one(shown));
    case "eth_getLogs":
      return changed(one(shown));
    default:
      return undefined;
  }
}

/** Of a receipt with logs, one of those. */
function change(fields: Fields, random: Random): true {
  const logs = fields.logs as Fields[] | undefined;
  if (logs && logs.length > 0) return change(random.pick(logs), random);
  const wrong: Readonly<Record<string, () => unknown>> = {
    value: () => hex(BigInt(String(fields.value)) + 10n ** 15n),
    to: () => `0x${ANOTHER}`,
    status: () => fields.status === "0x1" ? "0x0" : "0x1",
    data: () => word(BigInt(String(fields.data)) + 1_000_000n),
  };
  const [topic] = (fields.topics ?? []) as string[];
  if (topic === MOVED || topic === NOT_MOVED) {
    fields.topics = [topic === MOVED ? NOT_MOVED : MOVED];
    return true;
  }
  const name = random.pick(Object.keys(wrong).filter((one) => typeof fields[one] === "string"));
  fields[name] = wrong[name]!();
  return true;
}
