import type { MadeOutput } from "../chains/outputs.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import { type OutputRow, Outputs } from "./table.ts";

interface BlockOutputs {
  readonly ref: { readonly height: number; readonly hash: string };
  readonly outputs?: readonly MadeOutput[];
}

export function outputReads(network: string, made: readonly MadeOutput[]): Read[] {
  return made.map(({ txHash, position }) => read(Outputs, [network, txHash, position], "outpoint"));
}

export function blockOutputReads(network: string, blocks: readonly BlockOutputs[]): Read[] {
  return blocks.flatMap(({ outputs = [] }) => outputReads(network, outputs));
}

/** What blocks pay our addresses, each output once. */
export function recordOutputs(
  view: View,
  { network, blocks }: { network: string; blocks: readonly BlockOutputs[] },
): void {
  for (const { ref: { height, hash }, outputs = [] } of blocks) {
    const anchor = { blockNumber: height, blockHash: hash, open: 1 } as const;
    for (const made of outputs) {
      const known = view.find(Outputs, [network, made.txHash, made.position], "outpoint");
      if (known) view.update(Outputs, known, anchor);
      else insert(view, { network, made, ...anchor, isOwn: false });
    }
  }
}

/** The change of a transaction that is signed and in no block. */
export function noteChange(
  view: View,
  { network, made }: { network: string; made: readonly MadeOutput[] },
): void {
  for (const output of made) {
    const known = view.find(Outputs, [network, output.txHash, output.position], "outpoint");
    const unmined = { blockNumber: 0, blockHash: null };
    if (!known) insert(view, { network, made: output, ...unmined, isOwn: true });
  }
}

function insert(
  view: View,
  { made, ...row }:
    & { made: MadeOutput }
    & Pick<OutputRow, "network" | "isOwn" | "blockNumber" | "blockHash">
    & { open?: 1 },
): void {
  const { txHash, position, address, amountRaw, maturesAt } = made;
  view.insert(Outputs, {
    ...{ txHash, position, address, amountRaw: amountRaw.toString(), maturesAt },
    ...row,
    open: 1,
  });
}

/** Their block is no longer in the chain. */
export function unanchorOutputs(view: View, rows: readonly OutputRow[]): void {
  for (const { id } of rows) {
    view.update(Outputs, view.raw.get(Outputs, [id]), { blockHash: null });
  }
}

export function outputRowReads(rows: readonly OutputRow[]): Read[] {
  return readAll(Outputs, rows.map(({ id }) => [id]));
}
