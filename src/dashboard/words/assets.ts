export interface Coin {
  readonly currency: string;
  /** Its name, or its code where nobody knows that. */
  readonly network: string;
}

/** "USDT (Ethereum)", and a chain's own coin by its name alone. */
export function coinText({ currency, network }: Coin): string {
  return network === currency ? currency : `${currency} (${network})`;
}

/** "ETH/USDT" in these words. */
export function assetText(asset: string): string {
  const [network = asset, currency = network] = asset.split("/");
  return coinText({ currency, network });
}
