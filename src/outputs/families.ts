import { genuine, type Reporting } from "../books/tampered.ts";
import { outpointOf } from "../domain/outpoint.ts";
import { claimsOf } from "../transfers/reads/claims.ts";
import { Claims, type SignedTransactionRow, SignedTransactions } from "../transfers/table.ts";
import { claimsFor, outputsMadeBy, signedUnder, signedWithIds, unminedSignedBy } from "./reads.ts";
import { makerOf, type UnminedFamilies, unminedFamilies } from "./rules/unmined.ts";
import { Outputs } from "./table.ts";

/**
 * How what was signed hangs together. By this, payments are signed a second time, without what they
 * spent first, so none of these rows may be somebody else's.
 */

/** What these addresses have signed and no block has. */
export async function unminedOf(
  deps: Reporting,
  { network, addresses }: { network: string; addresses: readonly string[] },
): Promise<UnminedFamilies> {
  const { db } = deps;
  const signed = await unminedSignedBy(db, { network, addresses });
  await genuine(deps, SignedTransactions, signed);
  const claims = await claimsOf(db, signed.map(({ id }) => id));
  await genuine(deps, Claims, claims);
  const bySigned = Map.groupBy(claims.filter(isOutpoint), ({ signedId }) => signedId);
  const open = signed.map(({ id, txHash, isLive }) => {
    const outpoints = (bySigned.get(id) ?? []).map(({ claim }) => claim);
    return { txHash, isLive, outpoints };
  });
  const hashes = distinct(open.flatMap(({ outpoints }) => outpoints.map(makerOf)));
  const makers = await signedUnder(db, { network, hashes });
  const gone = makers.filter(({ state, blockHash }) =>
    (state === "superseded" || state === "abandoned") && blockHash === null
  );
  await genuine(deps, SignedTransactions, gone);
  return unminedFamilies(open, new Set(gone.map(({ txHash }) => txHash)));
}

/**
 * The transactions that took the place of those that made these outpoints, or would; and up to which
 * height they are mined for good, null if none is.
 */
export async function rivalsOf(
  deps: Reporting,
  { network, outpoints }: { network: string; outpoints: readonly string[] },
): Promise<{ readonly hashes: readonly string[]; readonly settledAt: number | null }> {
  const { db } = deps;
  const makers = await signedUnder(db, { network, hashes: distinct(outpoints.map(makerOf)) });
  await genuine(deps, SignedTransactions, makers);
  const own = await claimsOf(db, makers.map(({ id }) => id));
  await genuine(deps, Claims, own);
  const once = own.filter(({ isOnce }) => isOnce);
  const shared = await claimsFor(db, { network, claims: distinct(once.map(({ claim }) => claim)) });
  await genuine(deps, Claims, shared);
  const others = shared.filter(({ claim, signedId }) =>
    once.some((one) => one.claim === claim && one.signedId !== signedId)
  );
  const found = await signedWithIds(db, distinct(others.map(({ signedId }) => signedId)));
  const rivals = found.filter(({ state, isLive }) => state === "settled" || isLive);
  await genuine(deps, SignedTransactions, rivals);
  const heights = rivals.filter(({ state }) => state === "settled").map((tx) => tx.blockNumber);
  return {
    hashes: rivals.map(({ txHash }) => txHash),
    settledAt: heights.length === 0 ? null : Math.max(...heights),
  };
}

/** One of them that is unspent suffices. */
const MADE_MAX = 10_000;

/**
 * What these make, and what was made of that. Whoever spends some of it can't be mined beside what
 * these replace.
 */
export async function madeFrom(
  deps: Reporting,
  { network, hashes }: { network: string; hashes: readonly string[] },
): Promise<readonly string[]> {
  const made: string[] = [];
  const seen = new Set<string>();
  for (let next = hashes; next.length > 0 && made.length < MADE_MAX;) {
    for (const hash of next) seen.add(hash);
    const outputs = await outputsMadeBy(deps.db, { network, hashes: next });
    await genuine(deps, Outputs, outputs);
    const outpoints = outputs.map(outpointOf);
    made.push(...outpoints);
    const spenders = await liveSpenders(deps, { network, outpoints });
    next = spenders.map(({ txHash }) => txHash).filter((hash) => !seen.has(hash));
  }
  return made;
}

async function liveSpenders(
  deps: Reporting,
  { network, outpoints }: { network: string; outpoints: readonly string[] },
): Promise<readonly SignedTransactionRow[]> {
  const claims = await claimsFor(deps.db, { network, claims: outpoints });
  const live = claims.filter(({ liveClaim }) => liveClaim !== null);
  await genuine(deps, Claims, live);
  const spenders = await signedWithIds(deps.db, distinct(live.map(({ signedId }) => signedId)));
  return await genuine(deps, SignedTransactions, spenders);
}

function isOutpoint({ claim }: { readonly claim: string }): boolean {
  return claim.indexOf(":") === HASH_CHARS;
}

const HASH_CHARS = 64;

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
