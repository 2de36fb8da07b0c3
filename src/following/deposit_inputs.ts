import type { ReadBlock, Transfer } from "../chains/chain.ts";
import { inputsAt } from "../deposits/reads/inputs.ts";
import { type DepositInputRow, DepositInputs } from "../deposits/tables/inputs.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

/** What a deposit spends was spent in this block, by something else or as it was to be. */
export interface SpentInput {
  readonly id: number;
  readonly spentBy: string;
  readonly height: number;
  readonly hash: string;
}

const UNSPENT = { spentBy: null, spentHeight: null, spentHash: null } as const;

export function inputReads({ code }: NetworkRow, { txHash, inputs = [] }: Transfer): Read[] {
  return inputs.map(({ outpoint }) => read(DepositInputs, [code, txHash, outpoint], "input"));
}

/** All outputs of one transaction share them. */
export function insertInputs(
  view: View,
  { network: { code: network }, transfer: { txHash, inputs = [] } }: {
    network: NetworkRow;
    transfer: Transfer;
  },
): void {
  for (const input of inputs) {
    if (view.raw.find(DepositInputs, [network, txHash, input.outpoint], "input")) continue;
    view.insert(DepositInputs, { network, txHash, ...input, ...UNSPENT });
  }
}

/** What others paid our wallets: whether it comes again after a reorganisation, its inputs decide. */
export function coinsPaid(
  { blocks, owned }: {
    readonly blocks: readonly ReadBlock[];
    readonly owned: ReadonlyMap<string, AddressRow>;
  },
): Transfer[] {
  return blocks.flatMap(({ transfers }) => transfers).filter(({ to, sender, inputs = [] }) =>
    inputs.length > 0 && sender === "" && owned.get(to)?.purpose === "hot"
  );
}

/** Whether something else in a block has spent what it spends. */
export function isOvertaken(
  view: View,
  { network: { code }, transfer: { txHash, inputs = [] } }: {
    network: NetworkRow;
    transfer: Transfer;
  },
): boolean {
  return inputs.some(({ outpoint }) => {
    const row = view.raw.find(DepositInputs, [code, txHash, outpoint], "input");
    return row && view.isGenuine(DepositInputs, row) && row.spentHash !== null;
  });
}

export async function planSpent(
  deps: Deps,
  { network: { code }, blocks }: { network: NetworkRow; blocks: readonly ReadBlock[] },
): Promise<{ readonly inputs: readonly SpentInput[]; readonly reads: readonly Read[] }> {
  const found = blocks.flatMap(({ ref: { height, hash }, spent = [] }) =>
    spent.map((one) => ({ ...one, height, hash }))
  );
  if (found.length === 0) return { inputs: [], reads: [] };
  const byOutpoint = new Map(found.map((one) => [one.outpoint, one]));
  const rows = await inputsAt(deps.db, { network: code, outpoints: [...byOutpoint.keys()] });
  const inputs = rows.map(({ id, outpoint }: DepositInputRow): SpentInput => {
    const { spender: spentBy, height, hash } = byOutpoint.get(outpoint)!;
    return { id, spentBy, height, hash };
  });
  return { inputs, reads: readAll(DepositInputs, inputs.map(({ id }) => [id])) };
}

export function noteSpent(view: View, inputs: readonly SpentInput[]): void {
  for (const { id, spentBy, height, hash } of inputs) {
    const row = view.raw.find(DepositInputs, [id]);
    if (!row) continue;
    if (spentBy !== row.spender) {
      view.update(DepositInputs, row, { spentBy, spentHeight: height, spentHash: hash });
    } else if (row.spentHash !== null) {
      // Nodes had said that it was gone.
      view.update(DepositInputs, row, UNSPENT);
    }
  }
}
