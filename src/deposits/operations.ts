import { type Unproven, VOUCHED_MAX, vouchForDeposits } from "./vouch.ts";
import * as kind from "../domain/kinds.ts";
import { unprovenShape } from "../integrity/shapes.ts";
import {
  type Asking,
  operation,
  optional,
  required,
  UsageError,
  withFallback,
} from "../operations/operation.ts";
import { recoverAddresses, type Recovered } from "../restore/recover_addresses.ts";
import { recoveredShape } from "../restore/shapes.ts";

const KEYS_MAX = 2 ** 31 - 1;

export const DEPOSIT_COMMANDS = [
  operation({
    words: ["deposit", "recover"],
    changes: "operate",
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
      const tally = context.tally();
      try {
        const found = await recoverAddresses(await context.deps(), {
          network: flags.network,
          accountId: flags.account,
          lostAccountId: flags["lost-account"],
          addresses: positionals,
          fromIndex: flags["from-index"],
          unusedMax: flags.count,
          isApplied: flags.apply ?? false,
          actor: context.actor,
          onProgress: ({ keys, found }) => tally.show(`${keys} keys, ${found} of them used`),
        });
        tally.end();
        showNext(context, found, flags.network);
        return found.addresses.map(recoveredShape);
      } finally {
        tally.end();
      }
    },
  }),
  operation({
    words: ["deposit", "vouch"],
    changes: "operate",
    summary: "Lists deposits that wait because the audit log is broken; --apply vouches for them",
    positionals: [{
      name: "ID",
      help: "the deposits' ids; otherwise every one that waits",
      isRest: true,
    }],
    flags: {
      as: withFallback(kind.choice(["uncredited", "credited"]), {
        help: "uncredited: they are credited now; credited: they were before, so they fail",
        example: "credited",
        fallback: "uncredited",
      }),
      reason: optional(kind.text({ max: 500 }), {
        help: "how you know, for the audit log",
        example: '"the shop got no webhook for it"',
      }),
      apply: optional(kind.present, {
        help: "vouch for them; otherwise they are only listed",
        example: "",
      }),
    },
    examples: [
      "deposit vouch",
      'deposit vouch 7 --reason "the shop got no webhook for it" --apply',
      'deposit vouch 8 --as credited --reason "it is in the last backup" --apply',
    ],
    columns: [
      ...["transaction_id", "account_id", "network", "currency", "amount", "tx_hash"],
      ...["detected_at", "state", "reason"],
    ],
    run: async (context, { flags, positionals }) => {
      const { apply: isApplied = false, reason = null } = flags;
      const isCredited = flags.as === "credited";
      const ids = positionals.map(idOf);
      if (isApplied && reason === null) throw new UsageError("--apply needs --reason");
      if (isCredited && ids.length === 0) throw new UsageError("--as credited needs the ids");
      if (ids.length > VOUCHED_MAX) throw new UsageError(`${VOUCHED_MAX} at once at most`);
      const order = { ids, isCredited, reason: isApplied ? reason : null, actor: context.actor };
      const found = await vouchForDeposits(await context.deps(), order);
      showVouched(context, found);
      return found.map(unprovenShape);
    },
  }),
];

function showNext(context: Asking, { addresses, readTo }: Recovered, network: string): void {
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

function showVouched(context: Asking, found: readonly Unproven[]): void {
  const count = (wanted: string) => found.filter(({ state }) => state === wanted).length;
  const [unproven, vouched, left] = [count("unproven"), count("vouched"), count("left")];
  if (unproven > 0) {
    context.note(`${unproven} found, and nothing written; --apply vouches for them`);
  }
  if (vouched > 0) {
    const accounts = [...new Set(found.map(({ row }) => row.accountId))];
    const resume = accounts.map((id) => `"integrity resume --account ${id}"`).slice(0, 3);
    context.note(
      `${vouched} vouched for. What was paused over them goes on with ${resume.join(", ")}` +
        (accounts.length > resume.length ? ", and so on" : ""),
    );
  }
  if (found.length === VOUCHED_MAX) context.note(`There may be more than these ${VOUCHED_MAX}`);
  if (left === 0) return;
  context.note(`${left} left: "reason" says why`);
  context.exitWith(1);
}

function idOf(text: string): number {
  const id = kind.recordId.read(text);
  if (id === undefined) throw new UsageError(`"${text}" is not a transaction id`);
  return id;
}
