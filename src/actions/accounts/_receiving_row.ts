import {
  type NetworkRow,
  type ReceivingWalletRow,
  ReceivingWallets,
} from "../../store/tables/setup.ts";
import type { View } from "../../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps.ts";

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
  const [action, subject] = ["account.receiving_wallet_set", `account:${accountId}`];
  recordAudit(view, { actor, action, subject, detail, nowMs: clock.nowMs() });
  return before
    ? view.update(ReceivingWallets, before, patch)
    : view.insertKeyed(ReceivingWallets, { accountId, network: code, ...patch });
}
