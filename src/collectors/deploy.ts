import { present } from "../base/assert.ts";
import { recordAudit } from "../books/records.ts";
import { genuine } from "../books/tampered.ts";
import type { Chain } from "../chains/chain.ts";
import type { ChainCollector, CollectorWith } from "../chains/collecting.ts";
import type { PreparedTransfer } from "../chains/transfer.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { CannotPay, refusedBy } from "../domain/cannot_pay.ts";
import type { Amount } from "../domain/money/amount.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { refuseHalted } from "../transfers/check_halted.ts";
import { preflightUpkeep } from "../transfers/preflight.ts";
import { nativeAmount } from "../transfers/price.ts";
import { AlreadyMoved } from "../transfers/save_signed.ts";
import { sendTransfer } from "../transfers/send.ts";
import { signTransfer } from "../transfers/sign.ts";
import type { SignedTransactionRow } from "../transfers/table.ts";
import { checkFunds, Commitments } from "../wallets/funds.ts";
import { gasWalletOf } from "../wallets/reads/addresses.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import { deploymentOf } from "./reads.ts";
import { type CollectorRow, Collectors } from "./table.ts";

const DIGITS_SHOWN = 8;

interface Deploying {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly wallet: AddressRow;
  readonly contract: CollectorWith;
  readonly prepared: PreparedTransfer;
  /** Its deployment failed, or never will be in a block. */
  readonly former: CollectorRow | undefined;
  /** What it costs at the price of the moment, and at most. */
  readonly cost: { readonly now: Amount; readonly most: Amount };
}

type DeploymentPlan =
  | { readonly kind: "there"; readonly row: CollectorRow; readonly tx: SignedTransactionRow }
  | { readonly kind: "new"; readonly deploying: Deploying };

/** What a chain and its gas wallet need for it. */
export async function collectingOn(
  deps: Deps,
  network: NetworkRow,
): Promise<{ chain: Chain; collector: ChainCollector; wallet: AddressRow }> {
  const chain = deps.chains.of(network);
  const { collector } = chain;
  if (!collector) throw refuse("no_collectors", { code: network.code });
  const wallet = await gasWalletOf(deps.db, network.code);
  if (!wallet) throw refuse("gas_wallet_missing", { code: network.code });
  await genuine(deps, Addresses, [wallet]);
  return { chain, collector, wallet };
}

/** Nothing is signed or sent. */
export async function planDeployment(deps: Deps, network: NetworkRow): Promise<DeploymentPlan> {
  const { chain, collector, wallet } = await collectingOn(deps, network);
  const contract = await collector.deployedBy(wallet.address);
  const former = await deps.db.find(Collectors, [network.code, wallet.address, contract.build]);
  const tx = former && await deploymentOf(deps.db, former);
  if (former && tx) return { kind: "there", row: former, tx };
  refuseHalted(wallet);
  if (!await collector.knowsDelegations(wallet.address)) {
    throw refuse("no_delegations", { code: network.code });
  }
  const preflight = await preflightUpkeep(deps, {
    network,
    chain,
    prepare: (price) => collector.prepareDeployment(wallet.address, price),
  });
  if (preflight.kind === "refused") {
    const { message: why } = refusedBy(preflight);
    throw refuse("collector_not_deployed", { code: network.code, why });
  }
  const { prepared } = preflight;
  await checkAffordable(deps, { network, chain, wallet, prepared });
  const nowRaw = await chain.costNow(prepared.charge.gas);
  const cost = {
    now: nativeAmount(network, nowRaw).roundedTo(DIGITS_SHOWN),
    most: nativeAmount(network, prepared.feeAtMostRaw).roundedTo(DIGITS_SHOWN),
  };
  const deploying = { network, chain, wallet, contract, prepared, former, cost };
  return { kind: "new", deploying };
}

/** Before anybody is asked; what it has promised meanwhile counts when it is signed. */
async function checkAffordable(
  deps: Deps,
  { network, chain, wallet, prepared }: Omit<Deploying, "contract" | "former" | "cost">,
): Promise<void> {
  const [state, catalog] = await Promise.all([
    chain.walletState(wallet.address, []),
    deps.catalog.current(),
  ]);
  const currencyOf = (contract: string | null) =>
    present(catalog.currencyByContract(network.code, contract), "Currencies stay");
  const funds = { wallet, state, commitments: new Commitments([]), without: undefined };
  try {
    checkFunds({ ...funds, prepared, currencyOf });
  } catch (error) {
    if (!(error instanceof CannotPay)) throw error;
    const why = error.message;
    throw refuse("collector_not_deployed", { code: network.code, why, cause: error });
  }
}

/** Saved before it is sent. Of several who ask at once, one deploys. */
export async function deployCollector(
  deps: Deps,
  { deploying, actor }: { deploying: Deploying; actor: Actor },
): Promise<void> {
  const { network, chain, wallet, contract, prepared, former } = deploying;
  const { build } = contract;
  const key = [network.code, wallet.address, build];
  try {
    const { tx } = await signTransfer(deps, {
      network,
      wallet,
      chain,
      prepared,
      payments: [],
      reads: [read(Collectors, key)],
      claim: (view, { tx }) => {
        const known = view.find(Collectors, key);
        if (known?.nonce !== former?.nonce) throw new AlreadyMoved();
        const nowMs = deps.clock.nowMs();
        const found = { nonce: tx.place, ...contract.withNonce(tx.place), createdAtMs: nowMs };
        if (known) view.update(Collectors, known, found);
        else {
          const owner = wallet.address;
          view.insertKeyed(Collectors, { network: network.code, owner, build, ...found });
        }
        const detail = { address: found.address, tx_hash: tx.txHash };
        const subject = `network:${network.code}`;
        recordAudit(view, { actor, action: "network.collector_deployed", subject, detail, nowMs });
      },
    });
    await sendTransfer(deps, { chain, tx });
  } catch (error) {
    if (error instanceof AlreadyMoved) return;
    if (!(error instanceof CannotPay)) throw error;
    throw refuse("collector_not_deployed", {
      code: network.code,
      why: error.message,
      cause: error,
    });
  }
}

/** The same bytes: whoever saved them may have been ended before they were sent. */
export async function deployAgain(
  deps: Deps,
  { network, tx }: { network: NetworkRow; tx: SignedTransactionRow },
): Promise<void> {
  if (tx.state !== "open" || tx.blockHash !== null) return;
  await sendTransfer(deps, { chain: deps.chains.of(network), tx });
}
