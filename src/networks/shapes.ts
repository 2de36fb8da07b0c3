import { familyOf } from "../chains/registry.ts";
import { Amount } from "../domain/money/amount.ts";
import type { NetworkCursorRow, NetworkEndpointRow } from "../following/table.ts";
import { durationText } from "../domain/time.ts";
import { feeMaxOf } from "./catalogue.ts";
import { collectWaitOf } from "./collecting.ts";
import { endpointShapes } from "./endpoint_shapes.ts";
import { finalBlocksOf, hasOutputs } from "./fitting.ts";
import { shownUrl } from "./logins.ts";
import { lagOf, secondsSinceAnswer } from "./rules/network_health.ts";
import { isTestNetwork } from "./test_networks.ts";
import type { CurrencyRow, NetworkRow } from "./table.ts";

export function networkShape(
  row: NetworkRow,
  { cursor, endpoints, gaps, nowMs }: {
    cursor: NetworkCursorRow;
    endpoints: readonly NetworkEndpointRow[];
    gaps: readonly { from: number; to: number }[];
    nowMs: number;
  },
) {
  // Null: it means nothing there.
  const unlessOutputs = (value: string) => hasOutputs(row) ? null : value;
  return {
    code: row.code,
    family: row.family,
    name: row.name,
    chain_id: row.chainId,
    native_symbol: row.nativeSymbol,
    native_decimals: row.nativeDecimals,
    rpc_urls: row.rpcUrls.map(shownUrl),
    ws_urls: (row.wsUrls ?? []).map(shownUrl),
    min_confirmations: row.minConfirmations,
    poll_interval_ms: row.pollIntervalMs,
    start_block: row.startHeight,
    finality: finalBlocksOf(row) ?? row.finality,
    quorum: row.quorum,
    traces: unlessOutputs(row.traces),
    fee_model: unlessOutputs(row.feeModel),
    fee_target: row.feeTarget ?? familyOf(row.family).feeTargetBlocks,
    gas_price_max: gasPriceMaxOf(row),
    fee_max: feeMaxOf(row),
    fee_max_from: row.feeMax !== null ? "set" : feeMaxOf(row) === null ? "recent_blocks" : "preset",
    gas_price_unit: familyOf(row.family).gasPriceUnit.name,
    hot_gas_target: unlessOutputs(row.hotGasTarget),
    collect: unlessOutputs(row.collect ?? "single"),
    collect_wait: durationText(collectWaitOf(row)),
    test: isTestNetwork(row),
    active: row.isActive,
    scanned_to: cursor.scanHeight,
    lag: lagOf(cursor, nowMs),
    seconds_since_answer: secondsSinceAnswer(cursor, nowMs),
    gaps,
    halted_reason: cursor.haltedReason,
    endpoints: endpointShapes(endpoints, nowMs),
  };
}

/** As given to --gas-price-max. */
function gasPriceMaxOf({ gasPriceMaxRaw, family }: NetworkRow): string | null {
  if (gasPriceMaxRaw === null) return null;
  const { name: asset, decimals } = familyOf(family).gasPriceUnit;
  return Amount.fromRaw(BigInt(gasPriceMaxRaw), { asset, decimals }).toString();
}

export function currencyShape(row: CurrencyRow, warning: string | null) {
  return {
    network: row.network,
    currency: row.symbol,
    name: row.name,
    is_token: row.contractAddress !== null,
    contract_address: row.contractAddress,
    decimals: row.decimals,
    min_deposit_amount: row.minDepositAmount,
    min_withdrawal_amount: row.minWithdrawalAmount,
    withdrawal_fee_flat: row.feeFlat,
    withdrawal_fee_percent: row.feePercent,
    sweep_min_amount: row.sweepMinAmount,
    native_rate: row.nativeRate,
    gas_max: row.gasMax,
    active: row.isActive,
    warning,
  };
}
