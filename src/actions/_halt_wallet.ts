import type { AddressRow } from "../store/rows.ts";
import { Addresses } from "../store/tables.ts";
import { read, type View } from "../store/workspace.ts";
import { alertRead, insertAlert, tellAlert } from "./_alerts.ts";
import type { Deps } from "./deps.ts";

/** Nothing more is signed with this key until an operator has looked. */
export async function haltWallet(
  deps: Deps,
  { id, network, address }: AddressRow,
  reason: string,
): Promise<void> {
  const message = `${reason}; then ` +
    `"wallet resume --network ${network} --address ${address}" lets it sign again`;
  const alert = { kind: "wallet_halted", subject: address, message } as const;
  const isNew = await deps.db.write({
    reads: [read(Addresses, [id]), alertRead("wallet_halted", address)],
    decide: (view) => haltIn(view, { id, reason, alert, nowMs: deps.clock.nowMs() }),
  });
  if (isNew) tellAlert(deps, alert);
}

function haltIn(
  view: View,
  { id, reason, alert, nowMs }: {
    id: number;
    reason: string;
    alert: { kind: "wallet_halted"; subject: string; message: string };
    nowMs: number;
  },
): boolean {
  const row = view.find(Addresses, [id]);
  if (row?.haltedReason === null) {
    view.update(Addresses, row, { haltedReason: reason });
  }
  return insertAlert(view, { ...alert, nowMs });
}
