import { present } from "../../../base/assert.ts";
import { first, zip } from "../../../base/lists.ts";
import type { SignedBefore } from "../../chain.ts";
import type { Gathered, GatherOrder } from "../../gathering.ts";
import { outpointOf } from "../../../domain/outpoint.ts";
import type { PriceOptions } from "../../price.ts";
import type { Preflight } from "../../transfer.ts";
import { addressOfScript, dustLimit } from "../addresses.ts";
import type { Plan } from "../coins/choose.ts";
import { gatherCoins, type Source } from "../coins/gather.ts";
import { replacementFee } from "../coins/replace.ts";
import { type Payment, sumOf, virtualSize } from "../coins/size.ts";
import { coinOf, type OwnCoin } from "./detail.ts";
import { asPreflight, ownInputs, paymentTo, replacedBy, type Wallets } from "./prepare.ts";

/** As when it was signed first: it costs a quarter at most. */
const WORTH_TIMES_FEE = 4n;
/** Whoever gives has no change, so that it is nobody's. */
const NOBODY = "";

/** Many addresses into one output, from which the fee is taken. */
export async function gather(
  wallets: Wallets,
  orders: readonly GatherOrder[],
  { to, price }: { readonly to: string; readonly price: PriceOptions },
): Promise<Gathered> {
  const { network } = wallets;
  const [{ rateRaw }, sources] = await Promise.all([wallets.market(), sourcesOf(wallets, orders)]);
  const areMissing = zip(orders, sources).map(([{ outpoints }, { coins }]) =>
    coins.length < outpoints.length
  );
  if (areMissing.includes(true)) return { kind: "missing", areMissing };
  const { script } = paymentTo(to, { network, amountRaw: 0n });
  const gathered = gatherCoins(sources, { script, rateRaw });
  const { inputs, valueRaw, feeRaw, vsize, sharesRaw } = gathered;
  const parts = zip(sources, sharesRaw).map(([{ coins }, share]) => ({
    amountRaw: sumOf(coins),
    feeRaw: share,
  }));
  if (valueRaw < dustLimit(script, network)) return { kind: "too_little", parts };
  const preflight = preflightOf(wallets, {
    plan: planOf({ inputs, payment: { script, valueRaw }, feeRaw, vsize }),
    to,
    price,
    rateRaw,
    from: first(orders).from,
    senderGivesRaw: sumOf(first(sources).coins),
  });
  if (preflight.kind === "refused") return preflight;
  // Whoever has taken one of them does the same already.
  const claims = inputs.map(({ output }) => ({ claim: outpointOf(output), isOnce: true }));
  return { kind: "ready", prepared: { ...preflight.prepared, claims }, parts };
}

/** The same inputs for a higher fee: less of them arrives. */
export async function gatherAgain(
  wallets: Wallets,
  { from, raw, isAnyway = false }: Pick<SignedBefore, "from" | "raw" | "isAnyway">,
  price: PriceOptions,
): Promise<Preflight> {
  const { network } = wallets;
  const [{ rateRaw, incrementRaw }, own] = await Promise.all([
    wallets.market(),
    ownInputs(wallets, raw),
  ]);
  const { inputs, outputs } = own;
  const { script } = first(outputs);
  const to = present(addressOfScript(script, network), "It was made from an address");
  const replaced = await replacedBy(wallets, { own, from });
  const vsize = virtualSize({ inputs: inputs.length, outputs });
  const feeRaw = replacementFee({ replaced, rateRaw, incrementRaw }, vsize);
  const valueRaw = sumOf(inputs) - feeRaw;
  if (valueRaw < dustLimit(script, network)) {
    const reason = `after the fee, too little would arrive at ${to}`;
    return { kind: "refused", cause: "unaffordable", reason };
  }
  if (!isAnyway && feeRaw * WORTH_TIMES_FEE > sumOf(inputs)) {
    const reason = "a higher fee would take more than a quarter of what is moved";
    return { kind: "refused", cause: "too_expensive", reason };
  }
  const plan = planOf({ inputs, payment: { script, valueRaw }, feeRaw, vsize });
  // What they spend is spent already.
  return preflightOf(wallets, { plan, to, price, rateRaw, from, senderGivesRaw: 0n });
}

async function sourcesOf(
  { book, code }: Wallets,
  orders: readonly GatherOrder[],
): Promise<readonly Source<OwnCoin>[]> {
  const addresses = orders.map(({ from }) => from);
  const outputs = await book.unspentOf({ network: code, addresses });
  const mined = outputs.filter(({ height }) => height !== null);
  const byOutpoint = new Map(mined.map((output) => [outpointOf(output), output]));
  return orders.map(({ from, outpoints }) => {
    const own = outpoints.map((outpoint) => byOutpoint.get(outpoint))
      .filter((output) => output?.address === from);
    return { coins: own.filter((output) => output !== undefined).map(coinOf) };
  });
}

function planOf(
  { payment, ...plan }: Pick<Plan<OwnCoin>, "inputs" | "feeRaw" | "vsize"> & {
    readonly payment: Payment;
  },
): Plan<OwnCoin> {
  return { kind: "planned", ...plan, payments: [payment], change: [] };
}

function preflightOf(
  { network }: Wallets,
  { plan, to, price, rateRaw, from, senderGivesRaw: nativeCostMaxRaw }: {
    readonly plan: Plan<OwnCoin>;
    readonly to: string;
    readonly price: PriceOptions;
    readonly rateRaw: bigint;
    readonly from: string;
    /** Others give the rest. */
    readonly senderGivesRaw: bigint;
  },
): Preflight {
  const request = { from, to, contract: null, amountRaw: sumOf(plan.inputs) };
  const preflight = asPreflight(plan, { request, price, from: NOBODY, rateRaw, network });
  if (preflight.kind === "refused") return preflight;
  return { kind: "ready", prepared: { ...preflight.prepared, nativeCostMaxRaw } };
}
