/** What spends it uses up: nothing else can spend it. */
export function outpointOf(
  { txHash, position }: { readonly txHash: string; readonly position: number },
): string {
  return `${txHash}:${position}`;
}

export function readOutpoint(text: string): { readonly txHash: string; readonly position: number } {
  const [txHash = "", position] = text.split(":");
  return { txHash, position: Number(position) };
}
