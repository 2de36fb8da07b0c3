import type { Family } from "./ground.ts";

/**
 * The program with a piece of its text replaced, so that it loses or doubles money or breaks another
 * promise. Each must be found by some seed: otherwise simulation or auditor has a hole.
 */
export interface Mutation {
  readonly name: string;
  /** Where it makes a difference; undefined: wherever seeds are drawn. */
  readonly family?: Family;
  readonly edits: readonly Edit[];
}

interface Edit {
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: "credit_at_detection",
    edits: [{
      file: "src/books/depth.ts",
      from: "if (depth < network.minConfirmations) return false;",
      to: "",
    }, {
      file: "src/deposits/confirm.ts",
      from: "height: cursor.scanHeight - network.minConfirmations + 1,",
      to: "height: cursor.scanHeight,",
    }],
  },
  {
    // A payment in a block of a lost branch counts as if it were in the new one.
    name: "not_seen_again",
    edits: [{
      file: "src/following/_unanchor.ts",
      from: "view.update(Transactions, row, { blockHash: null, ...seen });",
      to: "void seen;",
    }, {
      file: "src/deposits/confirm.ts",
      from: "row.blockHash !== null && (!block || block.hash === row.blockHash)",
      to: "row.blockHash !== null || block !== undefined",
    }, {
      file: "src/deposits/confirm.ts",
      from: "if (network.quorum === 1) return deposits;",
      to: "if (network.quorum > 0) return deposits;",
    }],
  },
  {
    name: "coins_from_contracts_missed",
    edits: [{
      file: "src/chains/evm/blocks/_payments.ts",
      from: "if (!owned.has(payment.to)) continue;",
      to: "if (owned.has(payment.to)) continue;",
    }],
  },
  {
    name: "reference_forgotten",
    edits: [{
      file: "src/withdrawals/insert_held.ts",
      from: "    ...givenOf(given),\n",
      to: "    ...givenOf(given),\n    clientReference: null,\n",
    }, {
      file: "src/withdrawals/create.ts",
      from: "if (earlier) mustBeNew(deps, { accountId: caller.accountId, name: earlier.text });",
      to: "void mustBeNew;",
    }],
  },
  {
    name: "held_is_available",
    edits: [{
      file: "src/domain/money/balance.ts",
      from: "return balance.balance.minus(balance.held);",
      to: "return balance.balance;",
    }],
  },
  {
    name: "bid_with_the_next_nonce",
    edits: [{
      file: "src/transfers/sign.ts",
      from: "outbids?.tx.place ?? given ?? nextFree(",
      to: "given ?? nextFree(",
    }],
  },
  {
    name: "gas_is_a_deposit",
    edits: [{
      file: "src/following/record_movements.ts",
      from: 'return purpose === "withdrawal";',
      to: "return true;",
    }],
  },
  {
    name: "time_out_is_a_refusal",
    edits: [{
      file: "src/chains/evm/transfers/broadcast.ts",
      from: 'isUnsure ? "unknown" : "rejected"',
      to: 'isUnsure ? "rejected" : "rejected"',
    }],
  },
  {
    name: "settled_at_detection",
    edits: [{
      file: "src/settlement/settle_transfer.ts",
      from: "return tx.blockHash !== null && isFinal(tx.blockNumber, { cursor, network });",
      to: "return tx.blockHash !== null;",
    }],
  },
  {
    name: "refunds_without_end",
    edits: [{
      file: "src/invoices/refund_room.ts",
      from: "return credited.minus(asked).plus(sum(unpaid, asset));",
      to: "return credited.plus(sum(unpaid, asset)).minus(asked.minus(asked));",
    }, {
      file: "src/invoices/refund_room.ts",
      from: "left: credited.minus(asked).plus(sum(unsigned, asset)),",
      to: "left: credited.plus(sum(unsigned, asset)),",
    }],
  },
  {
    name: "limit_forgets_payouts",
    edits: [{
      file: "src/policies/count.ts",
      from: "? addedIn(counter, row).plus(amount) :",
      to: "? addedIn(counter, row).plus(amount.minus(amount)) :",
    }],
  },
  {
    name: "invoice_paid_at_detection",
    edits: [{
      file: "src/invoices/rules/judge.ts",
      from: 'return CREDITED_STATUSES.includes(status) ? "credited" : "seen";',
      to: 'return CREDITED_STATUSES.includes(status) ? "credited" : "credited";',
    }],
  },
  {
    // The order that was read before counts, not what has become of it.
    name: "stale_order_signed",
    edits: [{
      file: "src/withdrawals/_sign_payout.ts",
      from: 'if (row.status !== "pending" || row.transferId !== null) throw new AlreadyMoved();',
      to: "",
    }],
  },
  {
    name: "released_on_the_first_refusal",
    edits: [{
      file: "src/chains/evm/transfers/broadcast.ts",
      from: 'if (verdicts.some((it) => it.class === "accepted")) return { kind: "accepted" };',
      to:
        'if (answers.some((it) => !it.ok)) return { kind: "rejected", reason: "a node refused" };',
    }],
  },
  {
    // One log too few: nobody failed.
    name: "failed_order_is_moved",
    edits: [{
      file: "src/following/record_spends.ts",
      from: "return carriedOut ? carriedOut[position] ?? null : false;",
      to: "return carriedOut ? carriedOut[position] !== undefined || null : false;",
    }],
  },
  {
    name: "outcome_of_another_order",
    edits: [{
      file: "src/following/record_spends.ts",
      from: "return carriedOut ? carriedOut[position] ?? null : false;",
      to: "return carriedOut ? carriedOut[carriedOut.length - 1 - position] ?? null : false;",
    }],
  },
  {
    name: "bid_with_another_nonce_of_an_address",
    edits: [{
      file: "src/chains/evm/collector/upkeep.ts",
      from: "    nonce: one.nonce,\n    r:",
      to: "    nonce: one.nonce + 1,\n    r:",
    }],
  },
  {
    name: "bid_without_the_last_order",
    edits: [{
      file: "src/transfers/outbid.ts",
      from: "return payments.map((row)",
      to: "return payments.slice(0, Math.max(1, payments.length - 1)).map((row)",
    }],
  },
  {
    name: "claims_never_freed",
    edits: [{
      file: "src/books/claims.ts",
      from: "isLive: (row) => row.isOnce || isUsed(row)",
      to: "isLive: (row) => row.isOnce || isUsed(row) || !row.isOnce",
    }],
  },
  {
    // Another one may sign with the nonces that a batch uses up.
    name: "nonces_of_a_batch_unclaimed",
    edits: [{
      file: "src/transfers/save_signed.ts",
      from: "...gas, ...saving.prepared.claims ?? []];",
      to: "...gas];",
    }],
  },
  {
    // What took the place of a payment passes for it.
    name: "void_pays",
    edits: [{
      file: "src/settlement/_settle_owners.ts",
      from: 'return isMined && isSuccessful === true && purpose !== "void";',
      to: "return isMined && isSuccessful === true;",
    }],
  },
  {
    name: "sweep_stays_due_in_a_batch",
    edits: [{
      file: "src/sweeps/rules/sweep_moves.ts",
      from: 'signed: "sweeping", parked',
      to: 'signed: "waiting", parked',
    }],
  },
  {
    name: "loans_stay",
    edits: [{
      file: "src/domain/energy_loans.ts",
      from: "amountRaw > 0n && depositAddresses.has(to)",
      to: "amountRaw < 0n && depositAddresses.has(to)",
    }],
  },
  {
    name: "staked_twice",
    edits: [{
      file: "src/energy/stake.ts",
      from: "const claims = [stakeClaim(wallet.address)];",
      to: "const claims = [{ ...stakeClaim(`${wallet.address}/${Math.random()}`) }];",
    }],
  },
  {
    name: "output_used_twice",
    family: "bitcoin",
    edits: [{
      file: "src/chains/bitcoin/transfers/sign.ts",
      from: "      : inputs.map(({ output }) => ({ claim: outpointOf(output), isOnce: true })),",
      to: "      : [],",
    }],
  },
  {
    // Its miner may lose it to another one.
    name: "young_coins_are_credited",
    family: "bitcoin",
    edits: [{
      file: "src/chains/bitcoin/blocks/read_blocks.ts",
      from: "if (isCoinbase) return height + COINBASE_BLOCKS;",
      to: "if (isCoinbase) return null;",
    }],
  },
  {
    name: "replaced_payment_never_fails",
    family: "bitcoin",
    edits: [{
      file: "src/deposits/fail_overtaken.ts",
      from: "if (now && isOvertaken) fail(",
      to: "if (now && isOvertaken && !isOvertaken) fail(",
    }],
  },
  {
    // Both can be mined.
    name: "bid_with_other_coins",
    family: "bitcoin",
    edits: [{
      file: "src/chains/bitcoin/transfers/prepare.ts",
      from: "const kept = own.inputs.filter((coin) => !lost.has(keyOf(coin)));",
      to: "const kept = own.inputs.filter((coin) => lost.has(keyOf(coin)));",
    }],
  },
  {
    name: "change_is_forgotten",
    family: "bitcoin",
    edits: [{
      file: "src/chains/bitcoin/blocks/read_blocks.ts",
      from: "    outputs,\n    spent: watched,",
      to: "    outputs: outputs.filter(({ txHash }) => !senders.has(txHash)),\n    spent: watched,",
    }],
  },
  {
    name: "lost_answer_is_a_refusal",
    family: "bitcoin",
    edits: [{
      file: "src/chains/bitcoin/transfers/broadcast.ts",
      from: 'isUnsure ? "unknown" : "rejected"',
      to: 'isUnsure ? "rejected" : "rejected"',
    }, {
      file: "src/chains/bitcoin/transfers/broadcast.ts",
      from: "return answers.some((answer) => answer.ok && answer.value);",
      to: "return answers.some((answer) => answer.ok && answer.value && !answer.value);",
    }],
  },
];

/** What the simulation needs, and nothing else. */
const COPIED = ["main.ts", "deno.json", "deno.lock", "src", "docs", "migrations"];
const COPIED_TESTS = ["simulation", "support", "cli"];

/** A copy of the program with this mutation in it. Always the same folder, so that it loads fast. */
export async function mutatedCopy({ name, edits }: Mutation): Promise<string> {
  const root = new URL("../../", import.meta.url).pathname;
  const folder = `${root}data/mutations/${name}`;
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  await Deno.mkdir(`${folder}/tests`, { recursive: true });
  await copy(COPIED.map((path) => `${root}${path}`), `${folder}/`);
  await copy(COPIED_TESTS.map((path) => `${root}tests/${path}`), `${folder}/tests/`);
  for (const { file, from, to } of edits) {
    const text = await Deno.readTextFile(`${folder}/${file}`);
    const count = text.split(from).length - 1;
    if (count !== 1) throw new Error(`${name}: ${file} has its text ${count} times, not once`);
    await Deno.writeTextFile(`${folder}/${file}`, text.replace(from, () => to));
  }
  return folder;
}

async function copy(paths: readonly string[], to: string): Promise<void> {
  const { success } = await new Deno.Command("cp", { args: ["-r", ...paths, to] }).output();
  if (!success) throw new Error(`Can't copy ${paths.join(", ")} to ${to}`);
}
