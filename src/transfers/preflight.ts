import { present } from "../base/assert.ts";
import { alertRead, insertAlert, logAlert, type NewAlert } from "../books/alerts.ts";
import type { BatchRequest, PreparedBatch } from "../chains/collecting.ts";
import type { Charge, PriceOptions } from "../chains/price.ts";
import type { DrainRequest, Preflight, TransferRequest } from "../chains/transfer.ts";
import type { Deps } from "../deps/deps.ts";
import { TooExpensive } from "../domain/cannot_pay.ts";
import { feeMaxFor } from "../domain/money/fee_limit.ts";
import { NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { feeLimitOf, type Market, nativeAmount, priceOf } from "./price.ts";

interface Asked extends Market {
  /** Signed bytes with the same nonce to replace. */
  readonly outbids?: string;
}

/**
 * Checks a transfer at the prices the operator allows. A fee above the limit alerts the operator,
 * whoever asked.
 */
export async function preflightTransfer(
  deps: Deps,
  asked: Asked & { request: TransferRequest },
): Promise<Preflight> {
  const price = await priceFor(deps, asked, asked.request.contract);
  return await inWords(deps, asked, await asked.chain.prepareTransfer(asked.request, price));
}

/** The same for emptying an address. */
export async function preflightDrain(
  deps: Deps,
  asked: Asked & { request: DrainRequest },
): Promise<Preflight> {
  const price = await priceFor(deps, asked, null);
  return await inWords(deps, asked, await asked.chain.prepareDrain(asked.request, price));
}

/**
 * The same for a batch, whose orders are bounded one by one. A fee above the limit for the largest
 * possible batch isn't reported: a smaller one is made.
 */
export async function preflightBatch(
  deps: Deps,
  { request, ...market }: Market & { request: BatchRequest },
): Promise<PreparedBatch> {
  const { collector } = market.chain;
  return await present(collector, "It collects").prepareBatch(request, await priceOf(deps, market));
}

/** The same for what pays nothing: a new contract, the end of a delegation, a stake. */
export async function preflightUpkeep(
  deps: Deps,
  { prepare, ...asked }: Asked & {
    prepare(price: PriceOptions): Promise<Preflight>;
  },
): Promise<Preflight> {
  const { outbids } = asked;
  const price = await priceOf(deps, asked);
  return await inWords(
    deps,
    asked,
    await prepare(outbids === undefined ? price : { ...price, outbids }),
  );
}

/** The prices at which the operator lets this be moved. */
export async function priceFor(
  deps: Deps,
  { outbids, ...market }: Asked,
  contract: string | null,
): Promise<PriceOptions> {
  const catalog = await deps.catalog.current();
  const { gasMax } = present(
    catalog.currencyByContract(market.network.code, contract),
    "What is moved is listed",
  );
  const price = {
    ...await priceOf(deps, market),
    gasMax: gasMax === null ? null : BigInt(gasMax),
  };
  return outbids === undefined ? price : { ...price, outbids };
}

/** As it is said to people. A fee above the limit is told to the operator. */
export async function inWords(deps: Deps, asked: Asked, preflight: Preflight): Promise<Preflight> {
  if (preflight.kind !== "refused" || !preflight.above) return preflight;
  const { above } = preflight;
  const { network } = asked;
  const maxRaw = feeMaxFor(await feeLimitOf(deps, asked), above.gas);
  const reason = feeTooHighText(network, { above, maxRaw });
  // Only because of the bids for this nonce; the chain itself is not that expensive.
  if (asked.outbids !== undefined && await isAffordable(deps, { ...asked, gas: above.gas })) {
    return { kind: "refused", cause: "too_expensive", reason };
  }
  await alertFeeTooHigh(deps, { network, gas: above.gas, reason });
  return { ...preflight, reason };
}

function feeTooHighText(
  network: NetworkRow,
  { above, maxRaw }: { above: Charge; maxRaw: bigint },
): string {
  const { nativeSymbol: symbol } = network;
  return `The fee could reach ${nativeAmount(network, above.maxRaw)} ${symbol}, ` +
    `and at most ${nativeAmount(network, maxRaw)} ${symbol} are allowed for one transaction`;
}

/** Whether a transaction with this much gas would be affordable in the next block. */
export async function isAffordable(
  deps: Deps,
  { gas, ...market }: Market & { gas: bigint },
): Promise<boolean> {
  const { chain } = market;
  const limit = await feeLimitOf(deps, market);
  return await chain.costNow(gas, await priceOf(deps, market)) <= feeMaxFor(limit, gas);
}

/** The last check before signing, whatever the pre-flight found. */
export async function checkCharge(
  deps: Deps,
  { charge, ...market }: Market & { charge: Charge },
): Promise<void> {
  const { network } = market;
  const maxRaw = feeMaxFor(await feeLimitOf(deps, market), charge.gas);
  if (charge.maxRaw <= maxRaw) return;
  const reason = feeTooHighText(network, { above: charge, maxRaw });
  await alertFeeTooHigh(deps, { network, gas: charge.gas, reason });
  throw new TooExpensive(reason, "fee");
}

export function feeTooHighOf(
  { code }: Pick<NetworkRow, "code">,
): Pick<NewAlert, "kind" | "subject"> {
  return { kind: "fee_too_high", subject: `network:${code}` };
}

async function alertFeeTooHigh(
  deps: Deps,
  { network, gas, reason }: { network: NetworkRow; gas: bigint; reason: string },
): Promise<void> {
  const { code } = network;
  const message = `${code}: nothing that costs more is signed until fees fall. ${reason}`;
  const advice = { code: "raise_fee_max", network: code } as const;
  const alert = { ...feeTooHighOf(network), message, advice };
  const isNew = await deps.db.write({
    reads: [alertRead(alert.kind, alert.subject), read(NetworkCursors, [code])],
    decide: (view) => {
      const cursor = view.get(NetworkCursors, [code]);
      if (BigInt(cursor.refusedGas ?? "0") < gas) {
        view.update(NetworkCursors, cursor, { refusedGas: gas.toString() });
      }
      return insertAlert(view, { ...alert, nowMs: deps.clock.nowMs() });
    },
  });
  if (isNew) logAlert(deps, alert);
}
