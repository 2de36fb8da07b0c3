import { type ReceivingWalletRow, ReceivingWallets } from "./tables/accounts.ts";
import { insertNotice } from "../books/alerts.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { isoUtc } from "../domain/time.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { View } from "../store/engine/workspace.ts";

export interface WalletPlace {
  readonly accountId: number;
  readonly network: string;
}

export function keyOf({ accountId, network }: WalletPlace) {
  return [accountId, network];
}

export function nowAt(address: string) {
  return { address, nextAddress: null, nextAtMs: null };
}

interface Change extends Pick<Deps, "clock"> {
  readonly accountId: number;
  readonly network: NetworkRow;
  readonly before: ReceivingWalletRow | undefined;
  readonly patch: Pick<ReceivingWalletRow, "address" | "nextAddress" | "nextAtMs">;
  readonly actor: Actor;
}

export function save(
  view: View,
  { accountId, network: { code }, before, patch, actor, clock }: Change,
): ReceivingWalletRow {
  const { address, nextAddress, nextAtMs } = patch;
  const pending = nextAddress === null ? {} : { next: nextAddress, nextAtMs };
  const detail = { network: code, before: before?.address ?? null, after: address, ...pending };
  const action = "account.receiving_wallet_set";
  const subject = `account:${accountId}`;
  const nowMs = clock.nowMs();
  recordAudit(view, { actor, action, subject, detail, nowMs });
  insertNotice(view, { topic: "security", accountId, ...said({ accountId, code, patch }), nowMs });
  return before
    ? view.update(ReceivingWallets, before, patch)
    : view.insertKeyed(ReceivingWallets, { accountId, network: code, ...patch });
}

/** So that whoever didn't ask for it can still cancel it. */
function said(
  { accountId, code, patch: { address, nextAddress, nextAtMs } }: {
    accountId: number;
    code: string;
    patch: Change["patch"];
  },
): { title: string; text: string } {
  const wallet = `Check the receiving wallet of account ${accountId} on ${code}`;
  if (nextAddress === null) return { title: `${wallet}: it is ${address} now`, text: "" };
  const since = isoUtc(nextAtMs ?? 0);
  return {
    title: `${wallet}: it is about to change`,
    text: `From ${since} on it is ${nextAddress}. Until then it is ${address}, and you can cancel.`,
  };
}
