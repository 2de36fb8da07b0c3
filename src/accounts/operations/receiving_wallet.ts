import { keepReceivingWallet, receivingWalletSet } from "../receiving_wallet.ts";
import { receivingWalletShape } from "../shapes.ts";
import type { ReceivingWalletRow } from "../tables/accounts.ts";
import * as kind from "../../domain/kinds.ts";
import { isoUtcOrNull } from "../../domain/time.ts";
import { operation, optional, required, UsageError } from "../../operations/operation.ts";
import { changeOrPropose } from "../../operations/propose.ts";

const account = required(kind.recordId, { help: "the account's id", example: "1" });
const network = required(kind.networkCode, { help: "the network's code", example: "ETH" });

export const RECEIVING_WALLET_COMMAND = operation({
  words: ["account", "receiving-wallet"],
  changes: "set_up_account",
  summary: "Sets where an account's deposits are swept; a change waits for the cooling-off period",
  flags: {
    account,
    network,
    address: optional(kind.text({ max: 100, word: "ADDRESS" }), {
      help: "an address outside this gateway",
      example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    }),
    now: optional(kind.present, { help: "use a changed address at once", example: "" }),
    cancel: optional(kind.present, {
      help: "keep the current address instead of the one that waits",
      example: "",
    }),
  },
  examples: [
    "account receiving-wallet --account 1 --network ETH --address 0xYourOwnWallet",
    "account receiving-wallet --account 1 --network ETH --cancel",
  ],
  run: async (context, { flags }) => {
    const { account: accountId, network, address, now: isNow, cancel } = flags;
    if ((address === undefined) !== (cancel === true) || (cancel && isNow)) {
      throw new UsageError("account receiving-wallet needs either --address or --cancel");
    }
    const place = { accountId, network };
    if (address === undefined) {
      const order = { ...place, actor: context.actor };
      return receivingWalletShape(await keepReceivingWallet(await context.deps(), order));
    }
    return await changeOrPropose(context, receivingWalletSet, {
      wanted: { ...place, address, isNow: isNow ?? false },
      shape: (row) => {
        if (row.nextAtMs !== null) context.note(waitingNote(row));
        return receivingWalletShape(row);
      },
    });
  },
});

function waitingNote({ address, nextAtMs }: ReceivingWalletRow): string {
  return `Until ${
    isoUtcOrNull(nextAtMs)
  }, deposits are swept to ${address}. --now changes it at once.`;
}
