import { checkoutOf } from "../../checkout/checkout.ts";
import { EXPIRES_S } from "../create.ts";
import { assetOf } from "../../domain/money/amount.ts";
import type { AccountRow } from "../../store/tables/setup.ts";
import { Select } from "../../dashboard/parts/form.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import { assetText } from "../../dashboard/words/assets.ts";
import { TIMES } from "./_actions.tsx";
import { coinsOf } from "./_quotes.ts";

interface Choosing {
  readonly visit: Visit;
  readonly account: AccountRow;
}

/** As Checkout says, at first. */
export const OpenFor = async ({ visit, account }: Choosing) => {
  const seconds = (await checkoutOf(visit.deps, account.id)).expiresInS ?? EXPIRES_S;
  const value = String(seconds);
  const isListed = TIMES.some((time) => time.value === value);
  const own = isListed ? [] : [{ value, label: `${Math.ceil(seconds / 60)} minutes` }];
  const options = [...own, ...TIMES];
  return (
    <Select
      visit={visit}
      name="expires_in"
      label="Open for"
      options={options}
      value={value}
    />
  );
};

/** Without a choice there is nothing to ask. */
export const CoinChoice = async ({ visit, account }: Choosing) => {
  const coins = await coinsOf(visit, account);
  const options = coins.map((coin) => {
    const value = assetOf(coin);
    return { value, label: assetText(value) };
  });
  return options.length > 1 && (
    <Select
      visit={visit}
      name="method"
      label="Paid with"
      options={[{ value: "", label: "What the payer chooses" }, ...options]}
      hint="The payer's page opens with this coin, and still offers the others"
    />
  );
};
