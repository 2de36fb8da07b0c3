import type { Identity } from "../chain.ts";
import { WrongChain } from "../faults.ts";

/** An endpoint must show this before anything else it says counts. */
export interface ExpectedIdentity {
  /** The network's code, for error messages. */
  readonly code: string;
  readonly chainId: string;
  readonly genesisHash: string | null;
}

export function checkIdentity(host: string, seen: Identity, expected: ExpectedIdentity): void {
  const isSame = seen.chainId === expected.chainId &&
    (expected.genesisHash === null || seen.genesisHash === expected.genesisHash);
  if (isSame) return;
  const { code, chainId, genesisHash } = expected;
  throw new WrongChain(
    `${code} is ${textOf({ chainId, genesisHash: genesisHash ?? "unknown" })}, ` +
      `but ${host} is on ${textOf(seen)}`,
  );
}

export function textOf({ chainId, genesisHash }: Identity): string {
  return `chain ${chainId} with genesis ${genesisHash}`;
}
