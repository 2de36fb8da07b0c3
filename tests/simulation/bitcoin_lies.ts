import type { Random } from "./random.ts";

type Fields = Record<string, unknown>;

/** One field of it is wrong; undefined if there is nothing to lie about. */
export function lieAbout(
  { method }: { readonly method: string },
  { answer, random }: { readonly answer: unknown; readonly random: Random },
): unknown {
  const said = answer as Fields | null;
  switch (method) {
    case "getblockchaininfo":
      return { ...said, blocks: Number(said!.blocks) + random.pick([-3, 1, 2]) };
    case "getblockheader":
      return { ...said, height: Number(said!.height) + random.pick([-1, 1]) };
    case "getblock":
    case "getrawtransaction":
      return otherDigit(String(answer), random);
    case "getmempoolinfo":
      return { ...said, mempoolminfee: Number(said!.mempoolminfee) * 30 };
    case "estimatesmartfee":
      return { ...said, feerate: Number(said!.feerate ?? 0.00001) * random.pick([0.1, 40]) };
    case "gettxout":
      return said && { ...said, value: Number(said.value) + 1 };
    case "sendrawtransaction":
      return otherDigit(String(answer), random);
    default:
      return undefined;
  }
}

function otherDigit(hex: string, random: Random): string {
  const at = random.between(0, hex.length - 1);
  const digit = (parseInt(hex[at]!, 16) + random.between(1, 15)) % 16;
  return hex.slice(0, at) + digit.toString(16) + hex.slice(at + 1);
}
