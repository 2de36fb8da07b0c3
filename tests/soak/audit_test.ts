import assert from "node:assert/strict";
import { recordAudit } from "../../src/books/records.ts";
import { checkIntegrity } from "../../src/integrity/manage_integrity.ts";
import { read } from "../../src/store/engine/workspace.ts";
import { type SealedRow, sealedRow } from "../../src/store/reads/sealed_row.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { sendTx } from "../support/nodes/contracts.ts";
import { ETHER } from "../support/payers.ts";
import { fundMerchant, sentId } from "../support/payouts.ts";
import { fundGasWallet, payIn, RECEIVER, startSweepingWorld } from "../support/sweeping.ts";
import { allocate, withdraw } from "../support/views.ts";
import type { World } from "../support/world.ts";
import { auditSoak, type SoakAudit } from "./audit.ts";

const PAYEE = "0x00000000000000000000000000000000000A11cE";
const COPIED = "account_id, network, currency, direction, status, tx_hash, live, from_address, " +
  "to_address, amount, block_number, block_hash, sender, sender_nonce, address_id, " +
  "is_below_minimum, created_at_ms";
const TOKENS_IN = "direction = 'deposit' AND currency = 'USDT' AND position < 77";
const COINS_IN = "direction = 'deposit' AND currency = 'ETH'";

/** A manual change of the books, how it is undone, and the expected finding. */
interface Wrong {
  readonly what: string;
  readonly change: readonly string[];
  readonly undo: readonly string[];
  readonly found: readonly RegExp[];
}

const WRONGS: readonly Wrong[] = [
  {
    what: "a deposit that was credited twice",
    change: [
      `INSERT INTO transactions (${COPIED}, position) SELECT ${COPIED}, 77 FROM transactions WHERE ${TOKENS_IN}`,
      "UPDATE balances SET balance = '10' WHERE currency = 'USDT'",
    ],
    undo: [
      "DELETE FROM transactions WHERE position = 77",
      "UPDATE balances SET balance = '5' WHERE currency = 'USDT'",
    ],
    found: [/deposit in the books 1 times too often/, /has 0 of USDT, by the rows 5000000/],
  },
  {
    what: "a balance that is more than its deposits",
    change: ["UPDATE balances SET balance = '6' WHERE currency = 'USDT'"],
    undo: ["UPDATE balances SET balance = '5' WHERE currency = 'USDT'"],
    found: [/USDT balance is 6, must be 5/],
  },
  {
    what: "a deposit that was never credited",
    change: [`UPDATE transactions SET status = 'failed' WHERE ${COINS_IN}`],
    undo: [`UPDATE transactions SET status = 'swept' WHERE ${COINS_IN}`],
    found: [/ETH balance/, /deposit in the chain 1 times too often/, /by the rows/],
  },
  {
    what: "money that is held for nothing",
    change: ["UPDATE balances SET held = '1' WHERE currency = 'ETH'"],
    undo: ["UPDATE balances SET held = '0' WHERE currency = 'ETH'"],
    found: [/ETH held is 1/],
  },
  {
    what: "a withdrawal that was paid and is told to have failed",
    change: ["UPDATE withdrawals SET status = 'failed' WHERE id = 1"],
    undo: ["UPDATE withdrawals SET status = 'confirmed' WHERE id = 1"],
    found: [/ETH balance/, /withdrawal in the chain 1 times too often/],
  },
  {
    what: "a withdrawal whose payment is not there",
    change: ["UPDATE withdrawals SET amount = '0.75', fee = fee - 0.25 WHERE id = 1"],
    undo: ["UPDATE withdrawals SET amount = '0.5', fee = '0.0026' WHERE id = 1"],
    found: [/withdrawal in the chain/, /withdrawal in the books/],
  },
  {
    what: "a withdrawal that stays open",
    change: ["UPDATE withdrawals SET status = 'broadcasted' WHERE id = 2"],
    undo: ["UPDATE withdrawals SET status = 'confirmed' WHERE id = 2"],
    found: [/withdrawal 2 is still broadcasted/, /ETH balance/, /withdrawal in the chain/],
  },
  {
    what: "a sweep to somewhere else than was told",
    change: [
      `UPDATE transactions SET to_address = '${PAYEE}' WHERE direction = 'sweep' AND currency = 'ETH'`,
    ],
    undo: [
      `UPDATE transactions SET to_address = '${RECEIVER}' WHERE direction = 'sweep' AND currency = 'ETH'`,
    ],
    found: [
      /sweep in the chain/,
      /sweep in the books/,
      /receiver in the chain/,
      /receiver in the b/,
    ],
  },
  {
    what: "a gas top-up that nobody was told of",
    change: ["UPDATE transactions SET status = 'failed' WHERE direction = 'gas_topup'"],
    undo: ["UPDATE transactions SET status = 'confirmed' WHERE direction = 'gas_topup'"],
    found: [/Gas top-up in the chain/, /of ETH, by the rows/],
  },
];

/** A small world in order: deposits that were swept, gas, and two payments. */
async function startRightWorld(anvil: SoakAudit["anvil"]) {
  const world = await startSweepingWorld({ anvil });
  const token = await world.addToken();
  const { merchant: { api, hotWallet } } = world;
  await fundMerchant(world, world.merchant);
  const gasWallet = await fundGasWallet(world);
  const addresses = [(await allocate(api)).address, (await allocate(api)).address];
  await payIn(world, { to: addresses[0]!, raw: ETHER });
  await payIn(world, { to: addresses[1]!, raw: 5_000_000n, token });
  await world.turn(6);
  sentId(await withdraw(api, { to: PAYEE, amount: "0.5" }));
  const withdrawalIdMax = sentId(await withdraw(api, { to: PAYEE, amount: "0.25" }));
  await world.turn(2);
  const adjusted = { ETH: "100" };
  const merchant = { name: "Acme", api, addresses, hotWallet, receiver: RECEIVER, adjusted };
  const order = {
    anvil,
    merchants: [merchant],
    gasWallet,
    token: token.address,
    minConfirmations: 3,
    withdrawalIdMax,
  };
  return { world, addresses, findings: () => auditSoak(order) };
}

/** No command accepts a balance that its ledger contradicts. */
async function seal({ db }: World["deps"], { table, values }: SealedRow): Promise<void> {
  await db.write({
    reads: [read(table, values)],
    decide: (view) => {
      view.accept(table, view.raw.get(table, values));
      recordAudit(view, { actor: "test", action: "note.added", subject: "test", nowMs: 0 });
    },
  });
}

Deno.test("the auditor finds nothing if nothing is wrong, and every single wrong thing", async (t) => {
  await using anvil = await startAnvil();
  const { world, addresses, findings } = await startRightWorld(anvil);
  await using _ = world;
  const { deps, merchant: { hotWallet } } = world;
  const run = async (statements: readonly string[]) => {
    await deps.db.execute(statements.map((sql) => ({ sql })));
    // The gateway's own fault, and not somebody else's writing.
    const { first } = await checkIntegrity(deps);
    for (const { table, key } of first) await seal(deps, sealedRow(table, key));
  };
  assert.deepEqual(await findings(), []);
  for (const { what, change, undo, found } of WRONGS) {
    await t.step(what, async () => {
      await run(change);
      check(await findings(), found);
      await run(undo);
      assert.deepEqual(await findings(), []);
    });
  }
  await t.step("a payment that nobody ordered", () =>
    anvil.isolated(async () => {
      await anvil.rpc("anvil_impersonateAccount", [hotWallet]);
      await sendTx(anvil, { from: hotWallet, to: PAYEE, valueRaw: ETHER });
      check(await findings(), [/withdrawal in the chain 1 times too often/]);
    }));
  await t.step("a payment that was made twice", () =>
    anvil.isolated(async () => {
      await anvil.rpc("anvil_impersonateAccount", [hotWallet]);
      await sendTx(anvil, { from: hotWallet, to: PAYEE, valueRaw: ETHER / 2n });
      check(await findings(), [/withdrawal in the chain 1 times too often/]);
    }));
  await t.step("a deposit that was not seen", () =>
    anvil.isolated(async () => {
      await payIn(world, { to: addresses[0]!, raw: ETHER });
      await anvil.mine(3);
      check(await findings(), [/deposit in the chain 1 times too often/, /of ETH, by the rows/]);
    }));
});

function check(findings: readonly string[], expected: readonly RegExp[]): void {
  assert.equal(findings.length, expected.length, findings.join("\n"));
  for (const [i, one] of expected.entries()) assert.match(findings[i]!, one);
}
