import { keccak256 } from "viem/utils";
import { chunksOf } from "../../../base/lists.ts";
import type { Collector, Delegated, DelegatesAsked } from "../../collecting.ts";
import { NodeError } from "../../faults.ts";
import { mapBounded } from "../../pool/map_bounded.ts";
import { hexBytes } from "../decode.ts";
import type { Endpoints } from "../endpoints.ts";
import { collectorAddress, delegationTo } from "./deployment.ts";

/** Answers the code hash of each address it is called with, one word each. */
const HASHER = "0x5f5b80353f8152602001368110600157365ff3";
/** Where it runs, in that call alone: there is nothing at this address. */
const HASHER_AT = `0x${"c0de".repeat(10)}`;
const ADDRESSES_PER_CALL = 500;
const CALLS_AT_ONCE = 4;
/** Of an address that was never used, and of one without code. */
const NO_CODE = [`0x${"0".repeat(64)}`, keccak256("0x")];

/** One call for many addresses, whatever they run. */
export async function readDelegates(
  endpoints: Endpoints,
  { collector, older, addresses }: DelegatesAsked,
): Promise<Delegated[]> {
  const hashes = await mapBounded(chunksOf(addresses, ADDRESSES_PER_CALL), {
    concurrencyMax: CALLS_AT_ONCE,
    work: (part) => readHashes(endpoints, part),
  });
  const current = codeHash(collector);
  const others = older.map(codeHash);
  return hashes.flat().map((hash) => {
    if (NO_CODE.includes(hash)) return "nothing";
    if (hash === current) return "collector";
    return others.includes(hash) ? "older" : "other";
  });
}

function codeHash(collector: Collector): string {
  return keccak256(delegationTo(collectorAddress(collector)));
}

async function readHashes(endpoints: Endpoints, addresses: readonly string[]): Promise<string[]> {
  const words = addresses.map((address) => address.slice(2).toLowerCase().padStart(64, "0"));
  const params = [
    { to: HASHER_AT, data: `0x${words.join("")}` },
    "latest",
    { [HASHER_AT]: { code: HASHER } },
  ];
  const answer = await endpoints.read((rpc) => rpc.call("eth_call", params));
  const bytes = hexBytes(answer, "code hashes").slice(2);
  if (bytes.length !== 64 * addresses.length) {
    throw new NodeError(`A node answered ${bytes.length / 64} code hashes of ${addresses.length}`);
  }
  return addresses.map((_, i) => `0x${bytes.slice(64 * i, 64 * (i + 1))}`);
}
