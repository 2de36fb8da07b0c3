/** What a wallet opens to pay exactly this. EIP-681 for EVM chains; TRON's wallets read less. */
export function paymentUri(
  { family, chainId, contract, address, raw, amount }: {
    family: "evm" | "tron";
    chainId: string;
    /** Null: the chain's own coin. */
    contract: string | null;
    address: string;
    raw: bigint;
    /** In human units. */
    amount: string;
  },
): string {
  if (family === "tron") {
    const token = contract === null ? "" : `&token=${contract}`;
    return `tron:${address}?amount=${amount}${token}`;
  }
  return contract === null
    ? `ethereum:${address}@${chainId}?value=${raw}`
    : `ethereum:${contract}@${chainId}/transfer?address=${address}&uint256=${raw}`;
}
