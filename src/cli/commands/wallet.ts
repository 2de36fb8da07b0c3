import { findNetwork } from "../../actions/manage_networks.ts";
import { resumeWallet } from "../../actions/resume_wallet.ts";
import { wallets } from "../../store/list_reads.ts";
import { ACTOR, command, optional, required } from "../command.ts";
import * as kind from "../../domain/kinds.ts";
import { walletShape } from "../shapes.ts";

export const WALLET_COMMANDS = [
  command({
    words: ["wallet", "list"],
    summary: "Lists hot wallets and gas wallets, and why any of them is halted",
    flags: {
      network: optional(kind.networkCode, { help: "only this network's", example: "ETH" }),
    },
    examples: ["wallet list", "wallet list --network ETH"],
    columns: ["network", "account_id", "purpose", "address", "halted_reason"],
    run: async (context, { flags }) => {
      const deps = await context.deps();
      const only = flags.network && (await findNetwork(deps, flags.network)).code;
      return (await wallets(deps.db, only)).map(walletShape);
    },
  }),
  command({
    words: ["wallet", "resume"],
    summary: "Lets a halted wallet sign again, once you know who else used its key",
    flags: {
      network: required(kind.networkCode, { help: "its network", example: "ETH" }),
      address: required(kind.text({ max: 100 }), {
        help: "the wallet's address, as listed",
        example: "0x52908400098527886E0F7030069857D2E4169EE7",
      }),
    },
    examples: ["wallet resume --network ETH --address 0x52908400098527886E0F7030069857D2E4169EE7"],
    run: async (context, { flags }) =>
      walletShape(await resumeWallet(await context.deps(), { ...flags, actor: ACTOR })),
  }),
];
