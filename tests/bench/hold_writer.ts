/**
 * Holds without HTTP, in a program that does nothing else: a fixed number of orders always waits.
 */
import { createWithdrawal } from "../../src/withdrawals/create.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { openGateway } from "../../src/app/gateway.ts";
import { perSecond, type Sample } from "./figure.ts";
import { obey } from "./lines.ts";

export interface HoldOrder {
  readonly accountId: number;
  readonly keyId: string;
  readonly waiting: number;
  readonly count: number;
}

export const TO = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

if (import.meta.main) {
  const { deps, close } = await openGateway(readConfig(Deno.env.toObject()));
  let made = 0;
  await obey(async ({ accountId, keyId, waiting, count }: HoldOrder): Promise<Sample> => {
    const caller = { accountId, keyId, signature: "", signatureExpiresAtMs: 0 };
    const end = made + count;
    const holdOn = async () => {
      while (made < end) {
        const clientReference = `r${made++}`;
        const order = { network: "ETH", currency: "ETH", toAddress: TO, amount: "1" };
        await createWithdrawal(deps, { caller, ...order, clientReference });
      }
    };
    const work = () => Promise.all(Array.from({ length: waiting }, holdOn));
    return { perSecond: await perSecond(count, work) };
  });
  await close();
}
