import assert from "node:assert/strict";
import { SWEEP_MOVES } from "../src/sweeps/rules/sweep_moves.ts";
import { DEPOSIT_MOVES, OUTGOING_MOVES } from "../src/deposits/rules/transaction_moves.ts";
import { WITHDRAWAL_MOVES } from "../src/withdrawals/rules/moves.ts";
import { stateDiagram } from "./support/state_diagrams.ts";

const page = await Deno.readTextFile(new URL("../src/README.md", import.meta.url));

for (
  const [name, diagram] of [
    ["withdrawals", stateDiagram(WITHDRAWAL_MOVES, "pending")],
    ["deposits", stateDiagram(DEPOSIT_MOVES, "detected")],
    ["sweeps", stateDiagram(SWEEP_MOVES, "waiting")],
    ["outgoing transactions", stateDiagram(OUTGOING_MOVES, "detected")],
  ] as const
) {
  Deno.test(`the diagram of ${name} in src/README.md matches the table in the code`, () => {
    assert.ok(page.includes(diagram), `src/README.md should hold:\n\n${diagram}\n`);
  });
}
