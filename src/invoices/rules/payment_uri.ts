import type { FamilyName } from "../../domain/families.ts";

interface Asked {
  readonly chainId: string;
  /** Null: the chain's own coin. */
  readonly contract: string | null;
  readonly address: string;
  readonly raw: bigint;
  /** In human units. */
  readonly amount: string;
}

const URIS: Readonly<Record<FamilyName, (asked: Asked) => string>> = {
  evm: ethereumUri,
  tron: tronUri,
};

/** The link that a wallet opens to pay exactly this. */
export function paymentUri({ family, ...asked }: Asked & { readonly family: FamilyName }): string {
  return URIS[family](asked);
}

/** EIP-681. */
function ethereumUri({ chainId, contract, address, raw }: Asked): string {
  return contract === null
    ? `ethereum:${address}@${chainId}?value=${raw}`
    : `ethereum:${contract}@${chainId}/transfer?address=${address}&uint256=${raw}`;
}

/** TRON has no such standard, and its wallets read less. */
function tronUri({ contract, address, amount }: Asked): string {
  const token = contract === null ? "" : `&token=${contract}`;
  return `tron:${address}?amount=${amount}${token}`;
}
