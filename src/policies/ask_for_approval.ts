import { moneyText } from "../domain/money/written.ts";
import { approvalTerms, type Verdict } from "./rules/rules.ts";
import type { View } from "../store/engine/workspace.ts";
import { type ApprovalRequestRow, ApprovalRequests } from "../approvals/table.ts";
import type { PolicyRow } from "./table.ts";
import type { WithdrawalRow } from "../withdrawals/table.ts";
import { keyMakerOf } from "../access/key_maker.ts";
import { WITHDRAWAL } from "../withdrawals/rules/fields.ts";
import { recordEvent } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { insertNotice } from "../books/alerts.ts";
import { isoUtc } from "../domain/time.ts";

/** Who asked for the payment, and must not approve it alone. */
export interface Asker {
  readonly person: string | null;
  readonly ip: string | null;
}

interface Caller {
  readonly keyId: string;
  readonly signature: string | null;
  readonly ip?: string;
  readonly actor?: Actor;
}

/** For payments that no rule can hold. */
export const NO_ASKER: Asker = { person: null, ip: null };

/** For a payment by a key, the user who created the key. */
export async function askerOf(
  deps: Deps,
  { keyId, signature, ip, actor }: Caller,
): Promise<Asker> {
  if (signature === null && actor !== undefined) {
    return typeof actor === "string"
      ? { person: actor, ip: null }
      : { person: actor.name, ip: actor.ip };
  }
  const maker = await keyMakerOf(deps, keyId);
  return { person: maker?.startsWith("user:") ? maker : null, ip: ip ?? null };
}

interface Waiting {
  readonly row: WithdrawalRow;
  readonly verdict: Verdict<PolicyRow>;
  readonly asker: Asker;
  /** Why somebody has to approve it, whatever the rules say. */
  readonly approvedAs?: string | null;
}

/** Nobody at the account has seen the recipient yet, and whoever must may be away for some days. */
const WITHOUT_RULES = { needed: 1, expiresMs: 7 * 86_400_000 };

/** Holds the money until enough people agree, or the time is up. */
export function askForApproval(view: View, waiting: Waiting): void {
  const { id, accountId } = waiting.row;
  const { nowMs } = view;
  const request = view.insertKeyed(ApprovalRequests, requestFor(waiting, nowMs));
  noticeWaiting(view, { ...waiting, request });
  const data = WITHDRAWAL.of(waiting.row);
  const type = "withdrawal.approval_required";
  recordEvent(view, { accountId, type, data, withdrawalId: id, nowMs });
}

function noticeWaiting(
  view: View,
  { row, request }: Waiting & { request: ApprovalRequestRow },
): void {
  const { id, accountId, amount, currency, network, toAddress } = row;
  const { needed, expiresAtMs, rules } = request;
  const people = needed === 1 ? "" : `, by ${needed} people`;
  insertNotice(view, {
    topic: "approvals",
    accountId,
    title: `Payout of ${
      moneyText(amount, { currency, isCoin: true, rounding: "exact" })
    } waits for you: payout ${id} on ${network}`,
    text: `To ${toAddress}${people}, until ${isoUtc(expiresAtMs)}, because of: ${
      rules.map(({ label }) => label).join(", ")
    }`,
    nowMs: view.nowMs,
  });
}

function requestFor(
  { row, verdict, asker, approvedAs = null }: Waiting,
  nowMs: number,
): ApprovalRequestRow {
  const isAsked = verdict.outcome === "approve";
  const { needed, expiresMs } = isAsked ? approvalTerms(verdict) : WITHOUT_RULES;
  const rules = verdict.matching.filter(({ outcome }) => outcome === "approve");
  const isOperators = rules.some(({ setBy }) => setBy === "operator");
  return {
    withdrawalId: row.id,
    accountId: row.accountId,
    needed,
    given: 0,
    rules: [
      ...rules.map(({ id, label }) => ({ policy_id: id, label })),
      ...approvedAs === null ? [] : [{ policy_id: 0, label: approvedAs }],
    ],
    decidedBy: isOperators ? "operator" : "merchant",
    requestedBy: asker.person,
    requestedIp: asker.ip,
    countedAtMs: nowMs,
    expiresAtMs: nowMs + expiresMs,
    open: 1,
    createdAtMs: nowMs,
  };
}
