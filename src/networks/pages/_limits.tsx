import type { Fields } from "../../dashboard/form.ts";
import { Field } from "../../dashboard/parts/form.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import type { CurrencyRow } from "../table.ts";

export const NO_LIMITS = {
  minDepositAmount: "0",
  minWithdrawalAmount: "0",
  feeFlat: "0",
  feePercent: "0",
  sweepMinAmount: "0",
  nativeRate: null,
};

const FLAGGED = "Smaller deposits are credited but flagged";

export const LimitFields = (
  { visit, row }: { visit: Visit; row: Pick<CurrencyRow, keyof typeof NO_LIMITS> },
) => {
  const number = (name: string, label: string, value: string | null, hint?: string) => (
    <Field
      visit={visit}
      name={name}
      label={label}
      inputmode="decimal"
      isRequired
      value={value ?? "0"}
      hint={hint}
    />
  );
  return (
    <div class="pair">
      {number("min_deposit", "Minimum deposit", row.minDepositAmount, FLAGGED)}
      {number("min_withdrawal", "Minimum payout", row.minWithdrawalAmount)}
      {number("fee_flat", "Flat fee", row.feeFlat)}
      {number("fee_percent", "Fee in %", row.feePercent)}
      {number("sweep_min", "Minimum sweep", row.sweepMinAmount, "Smaller amounts wait")}
      {number("native_rate", "Value in native coins", row.nativeRate, "Approximate; 0 if unknown")}
    </div>
  );
};

export const GasField = ({ visit, value }: { visit: Visit; value: string }) => (
  <Field
    visit={visit}
    name="gas_max"
    label="Maximum gas for code"
    inputmode="numeric"
    value={value}
    hint="Gas that the recipient's or the token's code may use beyond a plain transfer. A payment that needs more is refused."
  />
);

/** If left empty, it stays as it is, or gets the default for tokens. */
function gasMaxOf(fields: Fields): { gasMax?: number } {
  const gasMax = fields.optional("gas_max", kind.gasMax);
  return gasMax === undefined ? {} : { gasMax };
}

export const limitsOf = (fields: Fields) => ({
  name: fields.required("name", kind.text({ max: 100 })),
  minDepositAmount: fields.required("min_deposit", kind.amount),
  minWithdrawalAmount: fields.required("min_withdrawal", kind.amount),
  feeFlat: fields.required("fee_flat", kind.amount),
  feePercent: fields.required("fee_percent", kind.percent),
  sweepMinAmount: fields.required("sweep_min", kind.amount),
  nativeRate: fields.required("native_rate", kind.rate),
  ...gasMaxOf(fields),
});
