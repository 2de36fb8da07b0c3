/** "ETH/USDT" as "USDT on ETH", and a chain's own coin by its name alone. */
export function assetText(asset: string): string {
  const [network = asset, currency] = asset.split("/");
  return network === currency ? network : `${currency} on ${network}`;
}
