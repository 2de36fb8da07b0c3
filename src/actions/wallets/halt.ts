import { Addresses, type AddressRow } from "../../store/tables/addresses.ts";
import { read } from "../../store/engine/workspace.ts";
import { alertRead, insertAlert, logAlert } from "../books/alerts.ts";
import type { Deps } from "../deps.ts";

/** Stored texts that identify these wallets: if reworded, existing ones would no longer be recognised. */
const RESTORED = "The database was restored from a backup: book what was paid since " +
  '(see "help wallet adopt")';

/** A wallet created in these books after the restore: blocks since the backup were read without it. */
export const MADE_AGAIN = RESTORED +
  '; before that "rescan" from before the backup, for blocks were read without this wallet';

/**
 * Replaces another reason, which may be older than what these books lack. The restore itself
 * reports it.
 */
export async function haltRestored(deps: Deps, wallet: AddressRow): Promise<void> {
  const { haltedReason } = wallet;
  const before = haltedReason === null ? "" : `; before: ${haltedReason}`;
  const reason = isRestored(wallet) ? haltedReason! : RESTORED + before;
  await halt(deps, wallet, { reason, alert: haltAlert(wallet, reason) });
}

/** The books may lack payments it made. */
export function isRestored({ haltedReason }: AddressRow): boolean {
  return haltedReason?.startsWith(RESTORED) ?? false;
}

export function isMadeAgain({ haltedReason }: AddressRow): boolean {
  return haltedReason === MADE_AGAIN;
}

/** Nothing more is signed with this key until an operator has looked. */
export async function haltWallet(deps: Deps, wallet: AddressRow, reason: string): Promise<void> {
  const alert = haltAlert(wallet, reason);
  if (await halt(deps, wallet, { reason, alert })) logAlert(deps, alert);
}

interface Halt {
  readonly reason: string;
  readonly alert: ReturnType<typeof haltAlert>;
}

/** True if its alert is new. */
async function halt(deps: Deps, { id }: AddressRow, { reason, alert }: Halt): Promise<boolean> {
  return await deps.db.write({
    reads: [read(Addresses, [id]), alertRead(alert.kind, alert.subject)],
    decide: (view) => {
      const row = view.find(Addresses, [id]);
      if (row && (row.haltedReason === null || reason.startsWith(RESTORED))) {
        view.update(Addresses, row, { haltedReason: reason });
      }
      return insertAlert(view, { ...alert, nowMs: deps.clock.nowMs() });
    },
  });
}

export function haltAlert(
  { network, address }: Pick<AddressRow, "network" | "address">,
  reason: string,
) {
  const message = `${reason}; then ` +
    `"wallet resume --network ${network} --address ${address}" lets it sign again`;
  return { kind: "wallet_halted", subject: address, message } as const;
}
