import { genuine, type Reporting } from "../books/tampered.ts";
import { outpointOf } from "../domain/outpoint.ts";
import type { OutputBook, OwnBytes } from "../chains/outputs.ts";
import { NetworkCursors } from "../following/table.ts";
import { Networks } from "../networks/table.ts";
import type { Db } from "../store/engine/db.ts";
import { SignedTransactions } from "../transfers/table.ts";
import { unminedOf } from "./families.ts";
import {
  outputsAt,
  outputsHeldAt,
  promisedAmong,
  signedUnder,
  spentAbove,
  unspentOutputs,
} from "./reads.ts";
import { type OutputRow, Outputs } from "./table.ts";

/** What chains without balances ask the books about. Nothing is signed by a row that isn't genuine. */
export function outputBook(deps: Reporting): OutputBook {
  const { db } = deps;
  const ours = async (rows: Promise<readonly OutputRow[]>) =>
    await genuine(deps, Outputs, await rows);
  return {
    unspentOf: async (asked) => {
      const rows = await ours(unspentOutputs(db, asked));
      const [promised, unmined, sureTo] = await Promise.all([
        promisedAmong(db, { network: asked.network, outputs: rows }),
        rows.some(isUnmined) ? unminedOf(deps, asked) : undefined,
        sureHeight(db, asked),
      ]);
      const sound = rows.filter((row) => !isUnmined(row) || unmined?.isSound(row.txHash));
      return sound.map((row) => ({
        ...madeOf(row),
        height: row.blockHash === null ? null : row.blockNumber,
        isSure: row.isOwn || row.blockNumber <= sureTo,
        family: unmined && isUnmined(row) ? [...unmined.familyOf(row.txHash)] : [],
        isPromised: promised.has(outpointOf(row)),
      }));
    },
    heldAt: async (asked) => {
      const rows = await ours(outputsHeldAt(db, asked));
      const spent = await spentAbove(db, { ...asked, outputs: rows });
      return rows.map((row) => ({ ...madeOf(row), isSpentLater: spent.has(outpointOf(row)) }));
    },
    unminedAround: async ({ network, sender, txHash }) => {
      const families = await unminedOf(deps, { network, addresses: [sender] });
      const bytesOf = async (hashes: ReadonlySet<string>): Promise<readonly OwnBytes[]> => {
        const signed = await signedUnder(db, { network, hashes: [...hashes] });
        return await genuine(deps, SignedTransactions, signed);
      };
      const [before, after] = await Promise.all([
        bytesOf(families.before(txHash)),
        bytesOf(families.after(txHash)),
      ]);
      return { before, after };
    },
    at: async (asked) => (await ours(outputsAt(db, asked))).map(madeOf),
  };
}

/** The highest block that is as deep as deposits have to be. */
async function sureHeight(db: Db, { network: code }: { network: string }): Promise<number> {
  const [network, cursor] = await Promise.all([
    db.get(Networks, [code]),
    db.get(NetworkCursors, [code]),
  ]);
  return cursor.scanHeight - network.minConfirmations + 1;
}

function isUnmined({ blockHash }: OutputRow): boolean {
  return blockHash === null;
}

function madeOf({ txHash, position, address, amountRaw, maturesAt }: OutputRow) {
  return { txHash, position, address, amountRaw: BigInt(amountRaw), maturesAt };
}
