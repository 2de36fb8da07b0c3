/** What spends it uses up: nothing else can spend it. */
export function outpointOf(
  { txHash, position }: { readonly txHash: string; readonly position: number },
): string {
  return `${txHash}:${position}`;
}
