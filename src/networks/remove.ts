import { ALERT_KINDS } from "../alerts/rules/alert_kinds.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { findNetwork } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { shownUrls } from "./logins.ts";
import { networkUse, partsOf, walletsOf } from "./reads/use.ts";
import { type NetworkRow, Networks } from "./table.ts";
import { read } from "../store/engine/workspace.ts";
import { lookAtWallets } from "../wallets/look.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";

const NODES_WAIT_MS = 5_000;

/**
 * Only while nothing was ever booked on it and no customer can pay there: later, its rows explain
 * balances. Its wallets are removed too; the seed derives their keys.
 */
export async function removeNetwork(
  deps: Deps,
  { code, actor }: { code: string; actor: Actor },
): Promise<{ network: NetworkRow; wallets: readonly AddressRow[] }> {
  const network = await findNetwork(deps, code);
  await mustBeUnused(deps, network);
  const wallets = await walletsOf(deps.db, network.code);
  await mustBeEmpty(deps, { network, wallets });
  const parts = await partsOf(deps.db, network.code);
  const walletReads = wallets.map(({ id }) => read(Addresses, [id]));
  const subjects = [`network:${network.code}`, ...wallets.map(({ address }) => address)];
  const alerts = subjects.flatMap((subject) => ALERT_KINDS.map((kind) => ({ kind, subject })));
  await deps.db.write({
    reads: [
      read(Networks, [network.code]),
      ...[...parts, ...walletReads],
      ...alerts.map(({ kind, subject }) => alertRead(kind, subject)),
    ],
    decide: (view) => {
      const { nowMs } = view;
      const before = view.find(Networks, [network.code]);
      if (!before) throw refuse("network_unknown", { code: network.code });
      for (const part of [...walletReads, ...parts]) {
        const row = view.raw.rowOf(part);
        if (!row) continue;
        const why = "nothing was booked there; a new wallet or payee is proposed again";
        view.atOnce(why).remove(part.table, row);
      }
      view.remove(Networks, before);
      for (const alert of alerts) closeAlert(view, { ...alert, nowMs });
      const detail = { before: shownUrls(before), after: null, wallets };
      const subject = `network:${network.code}`;
      recordAudit(view, { actor, action: "network.removed", subject, detail, nowMs });
    },
  });
  return { network, wallets };
}

async function mustBeUnused({ db }: Deps, { code }: NetworkRow): Promise<void> {
  const { isBooked, isIssued, policyId } = await networkUse(db, code);
  if (isBooked) throw refuse("network_booked", { code });
  if (isIssued) throw refuse("network_issued", { code });
  if (policyId !== null) throw refuse("network_in_rule", { code, policyId });
}

/** Nodes that don't answer are no reason to keep a network. */
async function mustBeEmpty(
  deps: Deps,
  { network, wallets }: { network: NetworkRow; wallets: readonly AddressRow[] },
): Promise<void> {
  const halted = wallets.find(({ haltedReason }) => haltedReason !== null);
  if (halted) {
    throw refuse("network_wallet_halted", { code: network.code, address: halted.address });
  }
  const looks = await lookAtWallets(deps, { rows: wallets, waitMs: NODES_WAIT_MS });
  for (const { row: { address }, stocks } of looks) {
    for (const { held, symbol: currency } of stocks) {
      if (!held || held.isZero()) continue;
      throw refuse("network_wallet_holds", { address, amount: held.toString(), currency });
    }
  }
}
