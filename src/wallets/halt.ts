import type { HaltCode } from "../domain/reason_codes.ts";
import { Addresses, type AddressRow } from "./tables/addresses.ts";
import { read } from "../store/engine/workspace.ts";
import { alertRead, insertAlert, logAlert, type NewAlert } from "../books/alerts.ts";
import type { Deps } from "../deps/deps.ts";

interface Halt {
  readonly code: HaltCode;
  /** For people. */
  readonly reason: string;
}

const RESTORED: Halt = {
  code: "restored",
  reason: "The database was restored from a backup, so the books may lack what was paid since",
};

/** A wallet created in these books after the restore: blocks since the backup were read without it. */
export const MADE_AGAIN: Halt = { ...RESTORED, code: "made_again" };

/**
 * Replaces another reason, which may be older than what these books lack. The restore itself
 * reports it.
 */
export async function haltRestored(deps: Deps, wallet: AddressRow): Promise<void> {
  const { haltedReason } = wallet;
  const before = haltedReason === null ? "" : `; before: ${haltedReason}`;
  const halted = isRestored(wallet)
    ? { code: codeOf(wallet)!, reason: haltedReason! }
    : { ...RESTORED, reason: RESTORED.reason + before };
  await halt(deps, wallet, halted);
}

type Halted = Pick<AddressRow, "haltedReason" | "haltedCode">;

/** The books may lack payments it made. */
export function isRestored(wallet: Halted): boolean {
  const code = codeOf(wallet);
  return code === "restored" || code === "made_again";
}

export function isMadeAgain(wallet: Halted): boolean {
  return codeOf(wallet) === "made_again";
}

/** A halt without a code counts as the one that needs the most proof. Null if not halted. */
function codeOf({ haltedReason, haltedCode }: Halted): HaltCode | null {
  return haltedReason === null ? null : haltedCode ?? MADE_AGAIN.code;
}

/** Nothing more is signed with this key until an operator has looked. */
export async function haltWallet(deps: Deps, wallet: AddressRow, reason: string): Promise<void> {
  const halted = { code: "used_elsewhere", reason } as const;
  if (await halt(deps, wallet, halted)) logAlert(deps, haltAlert(wallet, halted));
}

/** True if its alert is new. */
async function halt(deps: Deps, wallet: AddressRow, halted: Halt): Promise<boolean> {
  const alert = haltAlert(wallet, halted);
  const { code: haltedCode, reason: haltedReason } = halted;
  return await deps.db.write({
    reads: [read(Addresses, [wallet.id]), alertRead(alert.kind, alert.subject)],
    decide: (view) => {
      const row = view.raw.find(Addresses, [wallet.id]);
      if (row && (row.haltedReason === null || haltedCode !== "used_elsewhere")) {
        view.update(Addresses, row, { haltedReason, haltedCode });
      }
      return insertAlert(view, { ...alert, nowMs: deps.clock.nowMs() });
    },
  });
}

export function haltAlert(
  { network, address }: Pick<AddressRow, "network" | "address">,
  { code: halted, reason }: Halt,
): NewAlert & { readonly kind: "wallet_halted" } {
  const advice = { code: "resume_wallet", network, address, halted } as const;
  return { kind: "wallet_halted", subject: address, message: reason, advice };
}
