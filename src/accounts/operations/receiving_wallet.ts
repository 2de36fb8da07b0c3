import { describeReceiver } from "../describe_receiver.ts";
import { readKey } from "../receiver.ts";
import { keepReceivingWallet, receivingWalletSet } from "../receiving_wallet.ts";
import { gapText } from "../rules/gap.ts";
import { findNetwork } from "../../books/find.ts";
import { rulesOf } from "../../chains/registry.ts";
import type { Deps } from "../../deps/deps.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
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
    xpub: optional(kind.text({ max: 150, word: "KEY" }), {
      help:
        "your wallet's extended public key, so that deposits arrive there: zpub, ypub or xpub " +
        "on BTC and LTC (also Mtub or Ltub), vpub, upub or tpub on test networks",
      example:
        "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs",
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
    "account receiving-wallet --account 1 --network BTC --xpub zpubOfYourWallet",
  ],
  run: async (context, { flags }) => {
    const { account: accountId, network, xpub, now: isNow, cancel } = flags;
    const address = flags.address ?? xpub;
    const isTwice = flags.address !== undefined && xpub !== undefined;
    if (isTwice || (address === undefined) !== (cancel === true) || (cancel && isNow)) {
      throw new UsageError(
        "account receiving-wallet needs either --address or --cancel, or --xpub instead",
      );
    }
    const place = { accountId, network };
    const deps = await context.deps();
    const shapeOf = async (row: ReceivingWalletRow) => {
      const described = await describeReceiver(deps, row);
      const warning = described.own && gapText(described.own.gap);
      if (warning) context.note(warning);
      return receivingWalletShape(described);
    };
    if (address === undefined) {
      const order = { ...place, actor: context.actor };
      return await shapeOf(await keepReceivingWallet(deps, order));
    }
    if (xpub !== undefined) await mustBeKey(deps, { network, xpub });
    return await changeOrPropose(context, receivingWalletSet, {
      wanted: { ...place, address, isNow: isNow ?? false },
      shape: async (row) => {
        if (row.nextAtMs !== null) context.note(waitingNote(row));
        return await shapeOf(row);
      },
    });
  },
});

/** What isn't a key at all is refused as one. */
async function mustBeKey(
  deps: Deps,
  order: { readonly network: string; readonly xpub: string },
): Promise<void> {
  const network = await findNetwork(deps, order.network);
  const key = readKey(network, order.xpub);
  const { extendedKeys } = rulesOf(network);
  if (!extendedKeys) throw refuse("xpub_unknown", { network: network.code });
  if (key === undefined || key === "malformed") {
    throw refuse("xpub_malformed", { network: network.code, names: extendedKeys.names });
  }
}

function waitingNote({ address, nextAtMs }: ReceivingWalletRow): string {
  return `Until ${isoUtcOrNull(nextAtMs)}, deposits go to ${address}. --now changes it at once.`;
}
