import { recoverAddresses, type Recovered } from "../../actions/restore/recover_addresses.ts";
import {
  ACTOR,
  command,
  type Context,
  optional,
  required,
  UsageError,
  withFallback,
} from "../command.ts";
import * as kind from "../../domain/kinds.ts";
import { createTally } from "../progress.ts";
import { recoveredShape } from "../shapes/shapes.ts";

const KEYS_MAX = 2 ** 31 - 1;

export const RECOVER_COMMANDS = [
  command({
    words: ["deposit", "recover"],
    summary: "Finds deposit addresses that were issued between a backup and its restore; " +
      "--apply books them",
    positionals: [{
      name: "ADDRESS",
      help: "only these, even if nothing was paid to them yet; otherwise every one that was used",
      isRest: true,
    }],
    flags: {
      network: required(kind.networkCode, { help: "where they were issued", example: "ETH" }),
      account: optional(kind.recordId, {
        help: "only this account's; otherwise all accounts of before the restore",
        example: "1",
      }),
      "lost-account": optional(kind.recordId, {
        help:
          "the id that --account had before, if it was created after the backup and again since",
        example: "7",
      }),
      count: withFallback(kind.integer({ min: 1, max: 100_000 }), {
        help: "stop searching an account after so many unused keys in a row",
        example: "5000",
        fallback: 1_000,
      }),
      "from-index": optional(kind.integer({ min: 0, max: KEYS_MAX }), {
        help: "the first key; by default the one after the backup's last",
        example: "2678400",
      }),
      apply: optional(kind.present, {
        help: "book them; otherwise they are only listed",
        example: "",
      }),
    },
    examples: [
      "deposit recover --network ETH",
      "deposit recover --network ETH --apply",
      "deposit recover 0x70997970C51812dc3A010C7d01b50e0d17dc79C8 --network ETH --account 1 --apply",
    ],
    columns: ["account_id", "network", "address", "key_index", "holds", "state", "reason"],
    run: async (context, { flags, positionals }) => {
      if (flags["lost-account"] !== undefined && flags.account === undefined) {
        throw new UsageError("--lost-account needs --account, the account's id now");
      }
      const tally = createTally({ host: context.host, isQuiet: context.isJson });
      try {
        const found = await recoverAddresses(await context.deps(), {
          network: flags.network,
          accountId: flags.account,
          lostAccountId: flags["lost-account"],
          addresses: positionals,
          fromIndex: flags["from-index"],
          unusedMax: flags.count,
          isApplied: flags.apply ?? false,
          actor: ACTOR,
          onProgress: ({ keys, found }) => tally.show(`${keys} keys, ${found} of them used`),
        });
        tally.end();
        tellNext(context, found, flags.network);
        return found.addresses.map(recoveredShape);
      } finally {
        tally.end();
      }
    },
  }),
];

function tellNext(context: Context, { addresses, readTo }: Recovered, network: string): void {
  const count = (state: string) => addresses.filter((one) => one.state === state).length;
  const [lost, booked, left] = [count("lost"), count("booked"), count("left")];
  if (lost > 0) context.note(`${lost} found, and nothing written; --apply books them`);
  if (booked > 0) {
    context.note(
      `${booked} booked. Once "network list" shows that ${network} is scanned to ` +
        `${readTo === null ? "its tip" : `block ${readTo}`}, "rescan --network ${network} ` +
        '--from-block N" with N from before the backup finds what was paid to them; "wallet adopt" ' +
        "books what was swept from them",
    );
  }
  if (left === 0) return;
  context.note(`${left} left: "reason" says why`);
  context.exitWith(1);
}
