import { present } from "../base/assert.ts";
import { filterGenuine } from "../books/tampered.ts";
import { collectorRows } from "../collectors/reads.ts";
import { Collectors } from "../collectors/table.ts";
import type { Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { isCarriedOut } from "../following/record_spends.ts";
import type { Claim } from "../settlement/book_spend.ts";
import { bidClaim, sameOrders } from "../settlement/claim_spend.ts";
import { batchOf } from "../settlement/book_upkeep.ts";
import type { FoundSpend } from "../settlement/found_spend.ts";
import { ownedAddresses } from "../wallets/reads/addresses.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import { sweepClaim } from "./_claim_sweep.ts";
import { paidCurrency } from "./_paid_currency.ts";

/** Each order was a sweep of its address, whether it was carried out or not. */
export async function batchClaims(
  deps: Deps,
  { found, isNamed }: { found: FoundSpend; isNamed: boolean },
): Promise<Claim[]> {
  await checkCollector(deps, found);
  const { orders } = batchOf(found);
  const owners = await ownersOf(deps, found);
  // What was signed for some of them may have been replaced by what gathers more.
  const same = sameOrders(found);
  return await Promise.all(orders.map(async (payment, position) => {
    const bid = same[position];
    if (bid) return bidClaim(found, bid);
    const currency = await paidCurrency(deps, found, payment);
    const from = present(owners.get(payment.from), "All are ours");
    // What failed has moved nothing that deposits would have to explain, and went nowhere.
    const hasMoved = isCarriedOut({ fromAddress: payment.from, position }, found.spend) === true;
    const needsDeposits = hasMoved && !isNamed;
    const ifElsewhere = hasMoved ? "wait" : "ignore";
    return await sweepClaim(deps, { found, from, payment, currency, needsDeposits, ifElsewhere });
  }));
}

/** Any other contract can log that it carried out orders. */
async function checkCollector(deps: Deps, found: FoundSpend): Promise<void> {
  const { network: { code }, wallet, tx: { txHash } } = found;
  const { collector } = batchOf(found);
  if (collector === null) return;
  const rows = await filterGenuine(deps, Collectors, await collectorRows(deps.db, code));
  if (rows.some(({ owner, address }) => owner === wallet.address && address === collector)) return;
  throw refuse("batch_of_unknown_contract", { txHash, network: code, contract: collector });
}

async function ownersOf(
  deps: Deps,
  found: FoundSpend,
): Promise<ReadonlyMap<string, AddressRow>> {
  const { network: { code }, tx: { txHash } } = found;
  const addresses = [...new Set(batchOf(found).orders.map(({ from }) => from))];
  const rows = await ownedAddresses(deps.db, { network: code, addresses });
  const ours = (await filterGenuine(deps, Addresses, rows))
    .filter(({ purpose }) => purpose === "deposit");
  const owners = new Map(ours.map((row) => [row.address, row]));
  const [address, ...others] = addresses.filter((one) => !owners.has(one));
  if (address === undefined) return owners;
  throw refuse("batch_of_unknown_addresses", {
    txHash,
    network: code,
    address,
    count: 1 + others.length,
  });
}
