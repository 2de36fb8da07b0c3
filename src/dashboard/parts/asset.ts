import type { Kind } from "../../domain/kinds.ts";

/** As a choice in a form: "ETH/USDT". */
export const asset: Kind<{ network: string; currency: string }> = {
  word: "NETWORK/SYMBOL",
  is: "one of the listed currencies",
  read: (text) => {
    const [network, currency, ...rest] = text.split("/");
    return network && currency && rest.length === 0 ? { network, currency } : undefined;
  },
};
