import { keccak_256 } from "@noble/hashes/sha3.js";
import { toHex, utf8 } from "../../../base/bytes.ts";
import type { EvmLog } from "../blocks/decode_receipt.ts";

export const MOVED_TOPIC = topicOf("Moved(uint256)");
export const NOT_MOVED_TOPIC = topicOf("NotMoved(uint256)");

function topicOf(event: string): string {
  return `0x${toHex(keccak_256(utf8(event)))}`;
}

/**
 * From the logs of the contract that a transaction called: undefined if they aren't outcomes of a
 * batch. Any contract can log the same; whether it is a collector, only the books know.
 */
export function readCarriedOut(
  logs: readonly Pick<EvmLog, "topics" | "data">[],
): readonly boolean[] | undefined {
  if (logs.length === 0) return undefined;
  const areOutcomes = logs.every(({ topics: [topic, ...more], data }, i) =>
    (topic === MOVED_TOPIC || topic === NOT_MOVED_TOPIC) && more.length === 0 &&
    data === `0x${i.toString(16).padStart(64, "0")}`
  );
  return areOutcomes ? logs.map(({ topics }) => topics[0] === MOVED_TOPIC) : undefined;
}
