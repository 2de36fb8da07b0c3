import { apiKeys } from "../../store/reads/pages/lists.ts";
import type { AccountRow } from "../../store/tables/setup.ts";
import { ChoiceFilter } from "../../dashboard/parts/filters.tsx";
import { Field, Select } from "../../dashboard/parts/form.tsx";
import { MomentFilters } from "../../dashboard/parts/lists/moments.tsx";
import { Filters } from "../../dashboard/parts/table.tsx";
import type { Visit } from "../../dashboard/visit.ts";

const CODES = [
  "invalid_signature",
  "timestamp_out_of_window",
  "ip_not_allowed",
  "permission_denied",
  "role_denied",
  "rate_limited",
  "quota_exceeded",
  "validation_failed",
  "not_found",
  "insufficient_balance",
  "invalid_address",
  "broadcast_rejected",
  "account_suspended",
  "unavailable",
  "internal_error",
];

interface FiltersProps {
  readonly visit: Visit;
  readonly account: AccountRow;
}

export const RequestFilters = ({ visit, account }: FiltersProps) => (
  <Filters visit={visit}>
    {visit.seesAll && <input type="hidden" name="account" value={String(account.id)} />}
    <MomentFilters visit={visit} />
    <Field
      visit={visit}
      name="path"
      label="Path contains"
      isFilter
      value={visit.query.get("path") ?? ""}
    />
    <ChoiceFilter visit={visit} name="code" label="Code" choices={CODES} />
    <KeyFilter visit={visit} account={account} />
  </Filters>
);

const KeyFilter = async ({ visit, account }: FiltersProps) => {
  const keys = await apiKeys(visit.deps.db, account.id);
  const options = keys.map(({ keyId, label }) => ({ value: keyId, label: `${label}: ${keyId}` }));
  return (
    <Select
      visit={visit}
      name="key"
      label="Key"
      value={visit.query.get("key") ?? ""}
      options={[{ value: "", label: "All" }, ...options]}
    />
  );
};
