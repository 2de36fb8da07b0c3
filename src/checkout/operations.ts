import { checkoutOf, logoOf, setCheckout } from "./checkout.ts";
import { EXPIRES_S, TOLERANCE_PERCENT } from "../invoices/create.ts";
import { findAccount } from "../books/find.ts";
import type { Deps } from "../deps/deps.ts";
import { readColour } from "./rules/colour.ts";
import { digits, orNone, shopName } from "./rules/kinds.ts";
import { type Logo, LOGO_ON_PAGE_MAX, readLogo } from "./rules/logo.ts";
import { expiresIn, tolerance } from "../invoices/rules/kinds.ts";
import * as kind from "../domain/kinds.ts";
import type { CheckoutRow } from "./table.ts";
import { type Asking, operation, optional, required, UsageError } from "../operations/operation.ts";
import { given } from "../operations/given.ts";

const FILE_BYTES_MAX = 1_048_576;
const ACCOUNT = required(kind.recordId, { help: "the account's id", example: "1" });

export const CHECKOUT_COMMANDS = [
  operation({
    words: ["checkout", "set"],
    changes: "set_up_account",
    summary: "Changes what payers see of a merchant, and what new invoices start with",
    flags: {
      account: ACCOUNT,
      name: optional(orNone(shopName), { help: "read by payers", example: '"Acme Shop"' }),
      logo: optional({ ...kind.text({ max: 1_000, word: "FILE|-|none" }), json: "file" }, {
        help: "a PNG or SVG of at most 64 kB, in the data folder or from standard input",
        example: "data/logo.svg",
      }),
      colour: optional(kind.text({ max: 7, word: "#RRGGBB|none" }), {
        help: "of buttons, dark enough for white text",
        example: '"#1b57d6"',
      }),
      "expires-in": optional(orNone(expiresIn), {
        help: "for how long invoices are open",
        example: "3600",
      }),
      "tolerance-percent": optional(orNone(tolerance), {
        help: "how much may be missing",
        example: "1",
      }),
      digits: optional(orNone(digits), {
        help: "decimals that amounts of coins are rounded up to, unless that adds more than 1 %",
        example: "6",
      }),
    },
    examples: [
      'checkout set --account 1 --name "Acme Shop" --colour "#1b57d6"',
      "checkout set --account 1 --expires-in 3600 --tolerance-percent 1 --digits 6",
    ],
    run: async (context, { flags: { account: accountId, logo: file, colour, ...flags } }) => {
      const change = given({
        name: flags.name,
        colour: colour === undefined || colour === "none" ? colour && null : readColour(colour),
        expiresInS: flags["expires-in"],
        tolerancePercent: flags["tolerance-percent"],
        digits: flags.digits,
      });
      const logo = await logoFrom(context, file);
      if (Object.keys(change).length === 0 && logo === undefined) {
        throw new UsageError("checkout set: nothing to change");
      }
      const deps = await context.deps();
      const row = await setCheckout(deps, { accountId, change, logo, actor: context.actor });
      if (logo && row.logoHash === null) {
        context.warn(
          `The logo has ${logo.bytes.length} bytes, and the payer's page has room for ${LOGO_ON_PAGE_MAX}: it isn't shown there`,
        );
      }
      return await checkoutShape(deps, row);
    },
  }),
  operation({
    words: ["checkout", "show"],
    reads: "set_up_account",
    summary: "Shows what payers see of a merchant, and what new invoices start with",
    flags: { account: ACCOUNT },
    examples: ["checkout show --account 1"],
    run: async (context, { flags: { account } }) => {
      const deps = await context.deps();
      await findAccount(deps, account);
      return await checkoutShape(deps, await checkoutOf(deps, account));
    },
  }),
];

/** Undefined: as it is; null: none. */
async function logoFrom(
  asking: Asking,
  file: string | undefined,
): Promise<Logo | null | undefined> {
  if (file === undefined) return undefined;
  if (file === "none") return null;
  const bytes = await asking.fileOf(file, FILE_BYTES_MAX);
  if (!bytes) throw new UsageError("--logo is larger than 64 kB");
  return readLogo(bytes);
}

async function checkoutShape(deps: Deps, row: CheckoutRow) {
  const [{ name }, logo] = await Promise.all([
    findAccount(deps, row.accountId),
    logoOf(deps, row.accountId),
  ]);
  return {
    account_id: row.accountId,
    name: row.name ?? name,
    colour: row.colour,
    logo: logo?.mediaType ?? null,
    logo_shown: row.logoHash !== null,
    expires_in: row.expiresInS ?? EXPIRES_S,
    tolerance_percent: row.tolerancePercent ?? TOLERANCE_PERCENT,
    digits: row.digits,
  };
}
