import { once, signatureRead } from "../books/claim_signature.ts";
import type { Deps } from "../deps/deps.ts";
import { Refused } from "../domain/refusal.ts";
import { inRefundTurn } from "../invoices/refund_room.ts";
import { type Asker, askerOf, NO_ASKER } from "../policies/ask_for_approval.ts";
import { withRules } from "../policies/judging.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { read, UniqueConflict } from "../store/engine/workspace.ts";
import type { KeyText } from "../store/tables/table.ts";
import { gatherFacts } from "./facts.ts";
import { holdOrRefuse, LATER, type WithdrawalInput } from "./hold.ts";
import { type WithdrawalRow, Withdrawals } from "./table.ts";

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
  const hold = () => withRules(deps, () => holdOnce(deps, input));
  try {
    return await (input.refunding ? inRefundTurn(deps, input.caller, hold) : hold());
  } catch (error) {
    return await replayAfterRace(deps, input, error);
  }
}

async function holdOnce(deps: Deps, input: WithdrawalInput): Promise<CreatedWithdrawal> {
  const { caller, clientReference } = input;
  const signed = caller.signature === null ? undefined : caller;
  const earlier = clientReference === null
    ? undefined
    : read(Withdrawals, [caller.keyId, clientReference], "reference");
  const { facts, reads } = await gatherFacts(deps, input);
  const canWait = facts.judging.canAsk || input.refunding?.needsAnother;
  const asker = canWait ? await askerFor(deps, input) : NO_ASKER;
  const used = signed && signatureRead(signed);
  if (used) reads.push(used);
  if (earlier) reads.push(earlier);
  const outcome = await deps.db.write<CreatedWithdrawal | Refused>({
    reads,
    decide: (view) => {
      const replay = earlier && view.rowOf(earlier);
      if (replay) return { row: replay, isReplay: true };
      if (earlier) mustBeNew(deps, { accountId: caller.accountId, name: earlier.text });
      const order = () => holdOrRefuse(view, { ...facts, input, asker });
      const row = signed
        ? once(view, { caller: signed, used, reference: clientReference }, order)
        : order();
      return row instanceof Refused ? row : { row, isReplay: false };
    },
  });
  if (outcome instanceof Refused) throw outcome;
  if (!outcome.isReplay) facts.judging.remember();
  if (earlier) rememberAsked(deps, { id: outcome.row.id, name: earlier.text });
  return outcome;
}

/** If a payer asks by a link, whoever made the link counts: a person, or the key's creator. */
function askerFor(deps: Deps, { caller, refunding }: WithdrawalInput): Promise<Asker> {
  const { keyId, signature } = caller;
  if (!refunding?.isByPayer) return askerOf(deps, caller);
  const person = refunding.askedBy ?? null;
  return person === null
    ? askerOf(deps, { keyId, signature })
    : askerOf(deps, { keyId, signature, actor: person });
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

interface Asked {
  readonly accountId: number;
  /** Key and reference as one text. */
  readonly name: KeyText;
}

/** A repeated request pays once, even if somebody hid its row meanwhile. */
function mustBeNew({ memory }: Deps, { accountId, name }: Asked): void {
  const id = memory.references.get(name);
  if (id === undefined) return;
  const why = `Withdrawal ${id} had this reference when it was made, and no longer has it`;
  throw new TamperedRow(Withdrawals.name, { key: String(id), accountId }, why);
}

function rememberAsked(
  { memory }: Deps,
  { id, name }: { id: number; name: KeyText },
): void {
  memory.references.set(name, id);
}
