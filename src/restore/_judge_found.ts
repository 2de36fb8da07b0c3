import { NodeError } from "../chains/faults.ts";
import { familyOf } from "../chains/registry.ts";
import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import { type KeyTrace, tracesOf } from "./_key_traces.ts";
import type { LostKey } from "./_lost_keys.ts";
import type { Deps } from "../deps/deps.ts";

export type Found = LostKey & KeyTrace;

export interface Judged extends Found {
  /** Why it must not be booked. */
  readonly reason: ActionRefused | null;
}

/** A key has one address row, so if several networks paid it, a person must choose. */
export async function judgeFound(
  deps: Deps,
  { network, found }: { network: NetworkRow; found: readonly Found[] },
): Promise<Judged[]> {
  if (found.length === 0) return [];
  const { coinType } = familyOf(network.family);
  const others = (await deps.catalog.current()).networks.filter((row) =>
    row.isActive && row.code !== network.code && familyOf(row.family).coinType === coinType
  );
  const addresses = found.map(({ address }) => address);
  const answers = await Promise.all(others.map(async (other) => ({
    code: other.code,
    traces: await tracesIfAnswered(deps, { network: other, addresses }),
  })));
  return found.map((one, i) => {
    const elsewhere = answers.filter(({ traces }) => traces?.[i]?.isUsed);
    const silent = answers.filter(({ traces }) => traces === undefined);
    const here = { address: one.address, network: network.code };
    const reason = elsewhere.length > 0
      ? refuse("address_used_elsewhere", { ...here, others: codesOf(elsewhere) })
      : silent.length > 0
      ? refuse("address_maybe_used_elsewhere", { ...here, others: codesOf(silent) })
      : null;
    return { ...one, reason };
  });
}

function codesOf(networks: readonly { code: string }[]): string[] {
  return networks.map(({ code }) => code);
}

async function tracesIfAnswered(
  deps: Deps,
  asked: { network: NetworkRow; addresses: readonly string[] },
): Promise<KeyTrace[] | undefined> {
  try {
    return await tracesOf(deps, asked);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return undefined;
  }
}
