import { Refused } from "../domain/refusal.ts";
import { type DepositRequestRow, DepositRequests } from "../wallets/tables/addresses.ts";
import { read } from "../store/engine/workspace.ts";
import { once, signatureRead, type SignedCaller } from "../books/claim_signature.ts";
import { storedRead, whyFull } from "../books/quota.ts";
import { genuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { insertRequest, readyOf, sourceReads, untilUncontested } from "./_allot.ts";
import { type AllocateInput, makePlan } from "./_plan_allocation.ts";

interface Allocated {
  readonly row: DepositRequestRow;
  /** True if an earlier request with this idempotency key created it. */
  readonly isReplay: boolean;
}

interface SignedInput extends AllocateInput {
  readonly caller: SignedCaller;
}

/** Spec 4.4. A retry with the same idempotency key returns the original allocation. */
export async function allocateDepositAddress(
  deps: Deps,
  input: SignedInput,
): Promise<Allocated> {
  const replay = await findReplay(deps, input);
  if (replay) await genuine(deps, DepositRequests, [replay]);
  if (replay) return { row: replay, isReplay: true };
  return await untilUncontested(deps, () => allocate(deps, input));
}

function findReplay(deps: Deps, { caller, idempotencyKey }: AllocateInput) {
  if (idempotencyKey === null) return undefined;
  return deps.db.find(DepositRequests, [caller.keyId, idempotencyKey], "idempotency");
}

async function allocate(deps: Deps, input: SignedInput): Promise<Allocated> {
  const plan = await makePlan(deps, input);
  const { caller, idempotencyKey } = input;
  const outcome = await deps.db.write<Allocated | Refused>({
    reads: [
      read(DepositRequests, [caller.keyId, idempotencyKey], "idempotency"),
      ...[signatureRead(caller), storedRead(caller.accountId)],
      ...sourceReads(plan, input),
    ],
    decide: (view) => {
      const replay = idempotencyKey === null
        ? undefined
        : view.find(DepositRequests, [caller.keyId, idempotencyKey], "idempotency");
      if (replay) return { row: replay, isReplay: true };
      const row = once(view, { caller, reference: idempotencyKey }, () => {
        const ready = readyOf(view, { plan, input });
        if (ready instanceof Refused) return ready;
        return whyFull(view, caller) ?? insertRequest(view, { deps, ready, input });
      });
      return row instanceof Refused ? row : { row, isReplay: false };
    },
  });
  if (outcome instanceof Refused) throw outcome;
  return outcome;
}
