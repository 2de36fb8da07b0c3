import { present } from "../base/assert.ts";
import type { SentPayment } from "../chains/sent_bytes.ts";
import type { Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { CurrencyRow } from "../networks/table.ts";
import type { FoundSpend } from "../settlement/found_spend.ts";

export async function paidCurrency(
  deps: Deps,
  { network: { code }, tx: { txHash } }: Pick<FoundSpend, "network" | "tx">,
  { contract }: SentPayment,
): Promise<CurrencyRow> {
  const catalog = await deps.catalog.current();
  const currency = catalog.currencyByContract(code, contract);
  if (currency) return currency;
  throw refuse("spend_of_no_currency", {
    txHash,
    network: code,
    contract: present(contract, "Every network has its coin"),
  });
}
