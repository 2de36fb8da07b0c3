import { ApiKeys, RoleKeys } from "../../access/tables/keys.ts";
import { Sessions, Settings, SetUpLinks, Users } from "../../access/tables/users.ts";
import { AccountCurrencies, Accounts, ReceivingWallets } from "../../accounts/tables/accounts.ts";
import { Approvals } from "../../approvals/table.ts";
import { readSealed } from "../../base/secrets/sealed_text.ts";
import { Freezes, LedgerEntries } from "../../books/table.ts";
import { NetworkCursors } from "../../following/table.ts";
import { Stops } from "../../integrity/table.ts";
import { PaymentLinks } from "../../invoices/tables/payment_links.ts";
import { Currencies, Networks } from "../../networks/table.ts";
import { Payees } from "../../payees/table.ts";
import { Policies, PolicyBooks } from "../../policies/table.ts";
import { Proposals } from "../../proposals/table.ts";
import { RateSources } from "../../rates/table.ts";
import { Secrets } from "../tables/secrets.ts";
import type { AnyRow, Table } from "../tables/table.ts";
import { Sweeps } from "../../sweeps/table.ts";
import { Addresses } from "../../wallets/tables/addresses.ts";
import { WebhookDeliveries, WebhookEndpoints } from "../../webhooks/tables/webhooks.ts";
import { AllowedRecipients, Withdrawals } from "../../withdrawals/table.ts";

/** Whether this change is somebody's decision; undefined stands for no row before or after. */
type Rule<Row> = (before: Row | undefined, after: Row | undefined) => boolean;

/** Every change of these counts. */
const ALWAYS: readonly Table<AnyRow>[] = [
  Accounts,
  AccountCurrencies,
  ApiKeys,
  Currencies,
  Networks,
  ReceivingWallets,
  AllowedRecipients,
  Payees,
  PaymentLinks,
  Policies,
  PolicyBooks,
  Proposals,
  Approvals,
  RateSources,
  RoleKeys,
  Secrets,
  Settings,
  Stops,
  SetUpLinks,
  Users,
];

/** Changes without a rule are the gateway's own, and visible in other ways. */
const RULES: ReadonlyMap<Table<AnyRow>, Rule<AnyRow>> = new Map([
  ...ALWAYS.map((table) => audit(table, always)),
  audit(Sessions, otherThan("seenAtMs")),
  audit(
    WebhookEndpoints,
    otherThan(
      "leaseOwner",
      "leaseUntilMs",
      "failures",
      "pausedUntilMs",
      "failingSinceMs",
      "failedEventId",
      "disabledAtMs",
      "disabledReason",
    ),
  ),
  audit(
    WebhookDeliveries,
    (before, after) =>
      before !== undefined && before.state !== "pending" && after?.state === "pending",
  ),
  audit(
    Addresses,
    (before, after) =>
      before === undefined
        ? after?.purpose !== "deposit"
        : before.haltedReason !== null && after?.haltedReason === null,
  ),
  audit(NetworkCursors, (before, after) => isHalted(before) && !isHalted(after)),
  audit(Freezes, (_, after) => after === undefined),
  // A deposit's credit can never be reconstructed from elsewhere, so the log records it.
  audit(LedgerEntries, (_, after) => ["adjust", "credit", "reversal"].includes(after?.kind ?? "")),
  audit(Sweeps, (before, after) => before?.state === "parked" && after?.state !== "parked"),
  audit(Withdrawals, (before, after) => before?.status !== after?.status),
]);

function audit<Row extends AnyRow>(
  table: Table<Row>,
  rule: Rule<Row>,
): [Table<AnyRow>, Rule<AnyRow>] {
  return [table, rule as Rule<AnyRow>];
}

export function mustBeAudited(
  table: Table<AnyRow>,
  before: AnyRow | undefined,
  after: AnyRow | undefined,
): boolean {
  return RULES.get(table)?.(before, after) === true && !isOnlyResealed(table, before, after);
}

function always(): boolean {
  return true;
}

function otherThan<Row extends AnyRow>(...fields: readonly (keyof Row)[]): Rule<Row> {
  return (before, after) => !before || !after || changedFields(before, after, fields).length > 0;
}

function changedFields(
  before: AnyRow,
  after: AnyRow,
  except: readonly PropertyKey[] = [],
): string[] {
  return Object.keys(after).filter((field) =>
    before[field] !== after[field] && !except.includes(field)
  );
}

function isHalted(row: { readonly haltedReason: string | null } | undefined): boolean {
  return row !== undefined && row.haltedReason !== null;
}

/** Resealing secrets under a new master key is one row in the log, not one for each. */
function isOnlyResealed(
  table: Table<AnyRow>,
  before: AnyRow | undefined,
  after: AnyRow | undefined,
): boolean {
  if (!before || !after || table.encrypted.length === 0) return false;
  const changed = changedFields(before, after);
  return changed.length > 0 && changed.every((field) => {
    const [old, fresh] = [before[field], after[field]];
    return table.encrypted.some((one) => one.field === field) && old && fresh &&
      typeof old === "string" && typeof fresh === "string" &&
      readSealed(old).keyId !== readSealed(fresh).keyId;
  });
}
