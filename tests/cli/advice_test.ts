import assert from "node:assert/strict";
import { walletShape } from "../../src/cli/shapes/shapes.ts";
import { withAdvice } from "../../src/cli/words/advice.ts";
import { adviceText } from "../../src/dashboard/words/advice.ts";
import type { Advice } from "../../src/domain/advice.ts";
import { makeAddress } from "../store/reads/make_rows.ts";

const ON = { network: "ETH", address: "0xA" } as const;

const COMMANDS: readonly (readonly [Advice, RegExp])[] = [
  [{ code: "resume_wallet", ...ON, halted: "restored" }, /help wallet adopt.*wallet resume --net/],
  [{ code: "resume_wallet", ...ON, halted: "made_again" }, /rescan.*wallet adopt.*wallet resume/],
  [{ code: "resume_wallet", ...ON, halted: "used_elsewhere" }, /who used its key.*wallet resume/],
  [{ code: "adopt_spend", network: "ETH", txHash: "0x1" }, /"wallet adopt 0x1 --network ETH"/],
  [{ code: "settle_withdrawal", withdrawalId: 7 }, /"withdrawal settle 7 --as paid"/],
  [{ code: "switch_traces_off", network: "ETH" }, /"network set ETH --traces off"/],
  [{ code: "reconcile_untraced" }, /"reconcile"/],
  [{ code: "resend_dead_events", webhookId: 3 }, /"webhook redeliver --dead"/],
  [{ code: "enable_webhook", webhookId: 3 }, /"webhook enable 3" or "webhook remove 3"/],
  [{ code: "raise_fee_max", network: "ETH" }, /"network set ETH --fee-max"/],
  [
    { code: "credit_surplus", ...ON, currency: "USDT", amount: "1.5", accountId: 2 },
    /"deposit credit --network ETH --address 0xA --currency USDT --amount 1.5 .*account 2/,
  ],
  [{ code: "allow_recipient", ...ON }, /"recipient allow --network ETH --address 0xA"/],
  [{ code: "fund_gas_wallet", network: "ETH" }, /"network gas-wallet ETH"/],
  [{ code: "accept_balances" }, /"reconcile".*"integrity resume"/],
  [{ code: "resume_signing" }, /"resume"/],
];

Deno.test("advice names commands on the command line, and none in the dashboard", () => {
  for (const [advice, command] of COMMANDS) {
    assert.match(withAdvice("It happened", advice), command);
    assert.match(withAdvice("It happened", advice), /^It happened; /);
    assert.doesNotMatch(adviceText(advice), /--|"/);
  }
  assert.equal(withAdvice("It happened", null), "It happened");
});

Deno.test("a halted wallet is listed with what lets it sign again, one of before with its text", () => {
  const halted = makeAddress({ id: 1, haltedReason: "Restored", haltedCode: "restored" });
  assert.match(walletShape(halted).halted_reason!, /^Restored; .*"wallet resume --network ETH/);
  const old = makeAddress({ id: 1, haltedReason: "Restored", haltedCode: null });
  assert.equal(walletShape(old).halted_reason, "Restored");
  assert.equal(walletShape(makeAddress({ id: 1 })).halted_reason, null);
});
