import { rescan } from "./rescan.ts";
import * as kind from "../domain/kinds.ts";
import { operation, optional, required } from "../operations/operation.ts";
import { createProgress } from "../operations/screen/progress.ts";

export const RESCAN_COMMAND = operation({
  words: ["rescan"],
  changes: "operate",
  summary: "Reads blocks again and records deposits that were missed; nothing is credited twice",
  flags: {
    network: required(kind.networkCode, { help: "the network's code", example: "ETH" }),
    "from-block": required(kind.blockHeight, { help: "the first block", example: "19000000" }),
    "to-block": optional(kind.blockHeight, {
      help: "the last block; by default the last one that was read",
      example: "19000500",
    }),
  },
  examples: ["rescan --network ETH --from-block 19000000 --to-block 19000500"],
  run: async (context, { flags }) => {
    const progress = createProgress(context.tally());
    const { network, fromBlock, toBlock, found, isAtTip } = await rescan(await context.deps(), {
      network: flags.network,
      fromBlock: flags["from-block"],
      toBlock: flags["to-block"],
      actor: context.actor,
      onProgress: progress.show,
    }).finally(progress.end);
    if (isAtTip) {
      context.note(`The chain of ${network} ends at block ${toBlock}, so it was read up to there.`);
    }
    return { network, from_block: fromBlock, to_block: toBlock, found };
  },
});
