import { familyOf } from "../../chains/registry.ts";
import { Refused } from "../../domain/refusal.ts";
import { hotWalletOf } from "../../store/reads/addresses.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import type { CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";
import { type WithdrawalRow, Withdrawals } from "../../store/tables/withdrawals.ts";
import { Addresses } from "../../store/tables/addresses.ts";
import { type Read, read, UniqueConflict } from "../../store/engine/workspace.ts";
import { isRestored } from "../wallets/halt.ts";
import { lossAt } from "../books/lost_money.ts";
import { mustBeNew, rememberAsked } from "./_asked_before.ts";
import { once, signatureRead } from "../books/claim_signature.ts";
import { mustBeGenuine, TamperedRow } from "../books/tampered.ts";
import { booksOf, holdOrRefuse, LATER, type WithdrawalInput } from "./hold.ts";
import type { Deps } from "../deps.ts";

interface CreatedWithdrawal {
  readonly row: WithdrawalRow;
  /** True if an earlier request with this client_reference created it. */
  readonly isReplay: boolean;
}

/** Accepts a withdrawal and holds its money (spec 4.6). Nothing is sent yet. */
export async function createWithdrawal(
  deps: Deps,
  input: WithdrawalInput,
): Promise<CreatedWithdrawal> {
  const { caller, clientReference } = input;
  const catalog = await deps.catalog.current();
  const network = catalog.network(input.network);
  const currency = network && catalog.currency(network.code, input.currency);
  const asset = assetFields(input, { network, currency });
  const { payee, loss } = payeeOf(catalog, { network, toAddress: input.toAddress });
  const wallet = catalog.numberedFrom > 0 ? await hotWalletOf(deps.db, asset) : null;
  // A wallet that has yet to be created would be halted as well.
  const isUnsure = wallet !== null && (wallet === undefined || isRestored(wallet));
  const signed = caller.signature === null ? undefined : caller;
  const earlier = clientReference === null
    ? undefined
    : read(Withdrawals, [caller.keyId, clientReference], "reference");
  const books = booksOf(deps, asset);
  const own = payee === undefined ? undefined : read(Addresses, [asset.network, payee], "address");
  const reads: Read[] = Object.values(books);
  if (own) reads.push(own);
  const used = signed && signatureRead(signed);
  if (used) reads.push(used);
  if (earlier) reads.push(earlier);
  const unit = deps.db.write<CreatedWithdrawal | Refused>({
    reads,
    decide: (view) => {
      const replay = earlier && view.rowOf(earlier);
      if (replay) mustBeGenuine(view, Withdrawals, replay);
      if (replay) return { row: replay, isReplay: true };
      if (earlier) mustBeNew(deps, { accountId: caller.accountId, name: earlier.text });
      const order = () =>
        holdOrRefuse(view, { input, asset, network, currency, own, books, loss, isUnsure });
      const row = signed
        ? once(view, { caller: signed, used, reference: clientReference }, order)
        : order();
      return row instanceof Refused ? row : { row, isReplay: false };
    },
  });
  const outcome = await unit.catch((error) => replayAfterRace(deps, input, error));
  if (outcome instanceof Refused) throw outcome;
  if (earlier) rememberAsked(deps, { id: outcome.row.id, name: earlier.text });
  return outcome;
}

function findReplay(deps: Deps, { caller, clientReference }: WithdrawalInput) {
  if (clientReference === null) return undefined;
  return deps.db.find(Withdrawals, [caller.keyId, clientReference], "reference");
}

/**
 * The last resort. If another process stores this reference meanwhile, the write clock usually makes
 * this unit decide again, and it sees the other's row.
 */
async function replayAfterRace(
  deps: Deps,
  input: WithdrawalInput,
  error: unknown,
): Promise<CreatedWithdrawal> {
  // The operator has been alerted; the caller has to wait.
  if (error instanceof TamperedRow) throw new Refused("currency_paused", LATER);
  const row = error instanceof UniqueConflict ? await findReplay(deps, input) : undefined;
  if (!row) throw error;
  return { row, isReplay: true };
}

export function payeeOf(
  catalog: Catalog,
  { network, toAddress }: { network: NetworkRow | undefined; toAddress: string },
): { payee?: string; loss?: string | undefined } {
  const family = network && familyOf(network.family);
  if (!family?.isAddress(toAddress)) return {};
  const payee = family.canonicalAddress(toAddress);
  return { payee, loss: lossAt(catalog, { network: network!, address: payee }) };
}

function assetFields(
  input: WithdrawalInput,
  found: { network: NetworkRow | undefined; currency: CurrencyRow | undefined },
) {
  return {
    accountId: input.caller.accountId,
    network: found.network?.code ?? "",
    currency: found.currency?.symbol ?? "",
  };
}
