import { mapInPortions } from "../../../base/waiting/in_portions.ts";
import { NodeError } from "../../faults.ts";
import { asText } from "../../shown.ts";
import { nodeAddress } from "../address.ts";
import { type Json, list, quantity, record } from "../decode.ts";

/** Coins moved inside a transaction, apart from the value it carries itself. */
export interface InnerPayment {
  /**
   * Counts the frames that moved coins, depth first, from 1. Nodes differ in whether they show
   * calls of precompiles and calls that never began, but not in what moved. So when another node
   * reads it again, it finds the same payment under the same number.
   */
  readonly index: number;
  readonly from: string;
  readonly to: string;
  readonly amountRaw: bigint;
}

/** The fields both trace formats have for one call. */
export interface Frame {
  readonly type: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly value: unknown;
}

type Payment = Omit<InnerPayment, "index">;

/** A delegated call repeats the value of its parent call; a CALLCODE pays its own caller. */
const NEVER_PAYING: readonly string[] = ["DELEGATECALL", "CALLCODE", "STATICCALL"];
const PAYING: readonly string[] = ["CALL", "CREATE", "CREATE2", "SELFDESTRUCT"];

/** A failed frame also undoes everything below it, even where those frames don't say so. */
export function hasFailed({ error }: Json): boolean {
  return error !== undefined && error !== null && error !== "";
}

/** Undefined if nothing moved. */
function paymentOf({ type, from, to, value }: Frame): Payment | undefined {
  if (NEVER_PAYING.includes(type) || value === undefined || value === null) return undefined;
  const amountRaw = quantity(value, "a frame's value");
  if (amountRaw === 0n) return undefined;
  if (!PAYING.includes(type)) {
    throw new NodeError(`A frame of the unknown type ${type} may have moved coins`);
  }
  const payment = {
    from: nodeAddress(from, "a frame's sender"),
    to: nodeAddress(to, "a frame's recipient"),
    amountRaw,
  };
  return payment.from === payment.to ? undefined : payment;
}

export async function paymentsOf(frames: readonly Frame[]): Promise<InnerPayment[]> {
  const payments = await mapInPortions(frames, paymentOf);
  return payments.filter((payment) => payment !== undefined)
    .map((payment, i) => ({ index: 1 + i, ...payment }));
}

/** Reads the tree that `callTracer` answers. */
export async function paymentsInTree(root: unknown): Promise<InnerPayment[]> {
  const frames: Frame[] = [];
  const frame = record(root, "a trace");
  // The root's own value is the transaction's and is read from there.
  if (!hasFailed(frame)) collect(frame, frames);
  return await paymentsOf(frames);
}

function collect(frame: Json, frames: Frame[]): void {
  for (const item of list(frame.calls ?? [], "a frame's calls")) {
    const child = record(item, "a frame");
    if (hasFailed(child)) continue;
    const { type, from, to, value } = child;
    frames.push({ type: asText(type), from, to, value });
    collect(child, frames);
  }
}
