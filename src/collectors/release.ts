import { recordAudit } from "../books/records.ts";
import { familyOf, rulesOf } from "../chains/registry.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { CannotPay, refusedBy } from "../domain/cannot_pay.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { refuseHalted } from "../transfers/check_halted.ts";
import { preflightUpkeep } from "../transfers/preflight.ts";
import { AlreadyMoved } from "../transfers/save_signed.ts";
import { sendTransfer } from "../transfers/send.ts";
import { signTransfer } from "../transfers/sign.ts";
import { signingNonces } from "../transfers/signing_nonces.ts";
import { Claims, type SignedTransactionRow, SignedTransactions } from "../transfers/table.ts";
import { signerOf } from "../wallets/addresses.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import { genuine } from "../books/tampered.ts";
import { collectingOn } from "./deploy.ts";
import { accountsWithCoin, collectorRows, sweepsUnderWay } from "./reads.ts";
import { Accounts } from "../accounts/tables/accounts.ts";

interface Release {
  readonly network: NetworkRow;
  readonly address: string;
  readonly actor: Actor;
}

/**
 * Takes a delegation back, by a transaction of the gas wallet that carries the address's word. If
 * one that does so is on its way already, its bytes are sent again.
 */
export async function releaseAddress(
  deps: Deps,
  { network, address: text, actor }: Release,
): Promise<{ address: string; txHash: string; isNew: boolean }> {
  const { chain, collector, wallet } = await collectingOn(deps, network);
  const target = await findDeposit(deps, { network, text });
  const { address } = target;
  const nonces = await signingNonces(deps.db, {
    ...{ network: network.code, chain, addresses: [address] },
  });
  const nonce = nonces.get(address);
  if (nonce === undefined) {
    const why = "its nodes disagree about how many transactions it has sent";
    throw refuse("address_not_released", { address, why });
  }
  const { claim } = familyOf(network.family).claimOf({ sender: address, nonce });
  const under = await liveWith(deps, { network, claim });
  if (under && under.sender === wallet.address && under.paymentCount === 0) {
    await sendTransfer(deps, { chain, tx: under });
    return { address, txHash: under.txHash, isNew: false };
  }
  refuseHalted(wallet);
  const sweeps = await sweepsUnderWay(deps.db, target.id);
  if (under || sweeps.length > 0) throw refuse("address_being_swept", { address });
  const [code] = await collector.codeAt([address]);
  if (code?.kind !== "delegated") throw refuse("address_not_delegated", { address });
  const rows = await collectorRows(deps.db, network.code);
  const isOurs = rows.some((row) => row.address === code.to);
  if (isOurs && await delegatesAgain(deps, { network, target })) {
    throw refuse("address_delegates_again", { address, code: network.code });
  }
  // Any address would do; this one has its bytes read as what they are.
  const deployedAt = rows.find(({ owner }) => owner === wallet.address)?.nonce ?? 0;
  const carrier = { chainId: Number(network.chainId), owner: wallet.address, nonce: deployedAt };
  const preflight = await preflightUpkeep(deps, {
    network,
    chain,
    prepare: (price) => collector.prepareRelease({ collector: carrier, address, nonce }, price),
  });
  if (preflight.kind === "refused") {
    const { message: why } = refusedBy(preflight);
    throw refuse("address_not_released", { address, why });
  }
  try {
    const { tx } = await signTransfer(deps, {
      network,
      wallet,
      chain,
      prepared: preflight.prepared,
      authorizers: new Map([[address, signerOf(await deps.keyRing(), network, target)]]),
      payments: [],
      reads: [read(Addresses, [target.id]), read(Claims, [network.code, claim], "live")],
      claim: (view, { tx }) => {
        // Nothing is signed by the key of a row that somebody else has changed since.
        view.get(Addresses, [target.id]);
        const nowMs = deps.clock.nowMs();
        const detail = { tx_hash: tx.txHash, delegate: code.to };
        const subject = `address:${address}`;
        recordAudit(view, { actor, action: "address.released", subject, detail, nowMs });
      },
    });
    await sendTransfer(deps, { chain, tx });
    return { address, txHash: tx.txHash, isNew: true };
  } catch (error) {
    if (error instanceof AlreadyMoved) throw refuse("address_being_swept", { address });
    if (!(error instanceof CannotPay)) throw error;
    throw refuse("address_not_released", { address, why: error.message, cause: error });
  }
}

/** The next transaction that sweeps it with others would take the release back. */
async function delegatesAgain(
  { db }: Deps,
  { network, target }: { network: NetworkRow; target: AddressRow },
): Promise<boolean> {
  const { accountId } = target;
  if ((network.collect ?? "single") === "single" || accountId === null) return false;
  const place = { network: network.code, symbol: network.nativeSymbol };
  const [paidCoins, account] = await Promise.all([
    accountsWithCoin(db, { ...place, accountIds: [accountId] }),
    db.get(Accounts, [accountId]),
  ]);
  return !paidCoins.has(accountId) || account.delegatesNative === true;
}

async function findDeposit(
  deps: Deps,
  { network, text }: { network: NetworkRow; text: string },
): Promise<AddressRow> {
  const rules = rulesOf(network);
  const address = rules.isAddress(text) ? rules.canonicalAddress(text) : text;
  const row = await deps.db.find(Addresses, [network.code, address], "address");
  if (row?.purpose !== "deposit") {
    throw refuse("deposit_address_unknown", { text: address, network: network.code });
  }
  await genuine(deps, Addresses, [row]);
  return row;
}

async function liveWith(
  deps: Deps,
  { network, claim }: { network: NetworkRow; claim: string },
): Promise<SignedTransactionRow | undefined> {
  const held = await deps.db.find(Claims, [network.code, claim], "live");
  return held && await deps.db.get(SignedTransactions, [held.signedId]);
}
