import type { Hex } from "viem";
import { concatHex, getContractAddress, keccak256, pad } from "viem/utils";
import { invariant } from "../../../base/assert.ts";
import type { Collector } from "../../collecting.ts";
import { checksumAddress } from "../address.ts";
import { asHex } from "../decode.ts";
import { FILLED_IN, INIT_CODE, RUNTIME_CODE } from "./bytecode.ts";

/** It follows from who deploys with which nonce, so nobody else can put anything there. */
export function collectorAddress({ owner, nonce }: Omit<Collector, "chainId">): string {
  invariant(Number.isSafeInteger(nonce) && nonce >= 0, `Not a nonce: ${nonce}`);
  return checksumAddress(getContractAddress({ from: asHex(owner), nonce: BigInt(nonce) }));
}

/** The data of the transaction that deploys it. */
export function initCode(owner: string): Hex {
  return concatHex([INIT_CODE, pad(lower(owner))]);
}

/** What eth_getCode answers for it. */
export function collectorCode(deployed: Omit<Collector, "chainId">): Hex {
  const address = collectorAddress(deployed);
  const words: Record<keyof typeof FILLED_IN, Hex> = {
    owner: pad(lower(deployed.owner)),
    self: pad(lower(address)),
    delegated: keccak256(delegationTo(address)),
  };
  let code: string = RUNTIME_CODE;
  for (const [name, starts] of Object.entries(FILLED_IN)) {
    for (const start of starts) {
      const at = 2 + 2 * start;
      const word = words[name as keyof typeof words].slice(2);
      code = code.slice(0, at) + word + code.slice(at + word.length);
    }
  }
  return asHex(code);
}

/** The code of an address that delegates to the contract (EIP-7702). */
export function delegationTo(contract: string): Hex {
  return concatHex(["0xef0100", lower(contract)]);
}

function lower(address: string): Hex {
  return asHex(address.toLowerCase());
}
