import { sha256 } from "@noble/hashes/sha2.js";
import { toBase64, toHex } from "../base/bytes.ts";
import { type Logo, LOGO_ON_PAGE_MAX } from "./rules/logo.ts";
import { read } from "../store/engine/workspace.ts";
import { CheckoutLogos, type CheckoutRow, Checkouts } from "./table.ts";
import { findAccount } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import { filterGenuine } from "../books/tampered.ts";
import type { Actor, Deps } from "../deps/deps.ts";

const HASH_HEX = 16;

export type CheckoutSettings = Omit<CheckoutRow, "accountId" | "logoHash">;

const DEFAULTS = {
  ...{ expiresInS: null, tolerancePercent: null, digits: null, name: null, colour: null },
  logoHash: null,
};

/** Without settings, or if somebody else wrote them: the defaults. */
export async function checkoutOf(deps: Deps, accountId: number): Promise<CheckoutRow> {
  const row = await deps.db.find(Checkouts, [accountId]);
  const [genuine] = row ? await filterGenuine(deps, Checkouts, [row]) : [];
  return genuine ?? { accountId, ...DEFAULTS };
}

interface Order {
  readonly accountId: number;
  readonly change: Partial<CheckoutSettings>;
  /** Null: none from now on; undefined: as it is. */
  readonly logo?: Logo | null | undefined;
  readonly actor: Actor;
}

export async function setCheckout(
  deps: Deps,
  { accountId, change, logo, actor }: Order,
): Promise<CheckoutRow> {
  await findAccount(deps, accountId);
  const logoHash = logo ? hashIfShown(logo) : logo;
  const all = logoHash === undefined ? change : { ...change, logoHash };
  return await deps.db.write({
    reads: [read(Checkouts, [accountId]), read(CheckoutLogos, [accountId])],
    decide: (view) => {
      const before = view.find(Checkouts, [accountId]);
      const kept = view.find(CheckoutLogos, [accountId]);
      if (logo) {
        const picture = { mediaType: logo.mediaType, body: toBase64(logo.bytes) };
        if (kept) view.update(CheckoutLogos, kept, picture);
        else view.insertKeyed(CheckoutLogos, { accountId, ...picture });
      }
      if (logo === null && kept) view.remove(CheckoutLogos, kept);
      const nowMs = deps.clock.nowMs();
      const subject = `account:${accountId}`;
      const detail = { before: before ?? { accountId, ...DEFAULTS }, change: all };
      recordAudit(view, { actor, action: "account.checkout_set", subject, detail, nowMs });
      return before
        ? view.update(Checkouts, before, all)
        : view.insertKeyed(Checkouts, { accountId, ...DEFAULTS, ...all });
    },
  });
}

/** Null: the payer's page has no room for it. */
function hashIfShown({ bytes }: Logo): string | null {
  return bytes.length > LOGO_ON_PAGE_MAX ? null : toHex(sha256(bytes)).slice(0, HASH_HEX);
}

export interface Picture {
  readonly mediaType: string;
  /** In base64. */
  readonly body: string;
}

/** Undefined: there is none, or somebody else put it there. */
export async function logoOf(deps: Deps, accountId: number): Promise<Picture | undefined> {
  const row = await deps.db.find(CheckoutLogos, [accountId]);
  return row && (await filterGenuine(deps, CheckoutLogos, [row]))[0];
}
