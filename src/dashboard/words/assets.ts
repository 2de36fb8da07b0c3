interface Coin {
  readonly currency: string;
  /** Its code, or its name where that is shown. */
  readonly network: string;
}

/** "USDT on ETH", and a chain's own coin by its name alone. */
export function coinText({ currency, network }: Coin): string {
  return network === currency ? currency : `${currency} on ${network}`;
}

/** "ETH/USDT" in these words. */
export function assetText(asset: string): string {
  const [network = asset, currency = network] = asset.split("/");
  return coinText({ currency, network });
}
