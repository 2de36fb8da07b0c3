import assert from "node:assert/strict";
import { ALERT_KINDS } from "../../src/alerts/rules/alert_kinds.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { openGateway } from "../../src/app/gateway.ts";
import { raiseAlert } from "../../src/books/alerts.ts";
import { adviceText } from "../../src/dashboard/words/advice.ts";
import type { Advice } from "../../src/domain/advice.ts";
import { stepsFor, withAdvice } from "../../src/operations/words/advice.ts";
import { walletShape } from "../../src/wallets/shapes.ts";
import { makeCli } from "./cli_host.ts";
import { makeAddress } from "../store/reads/make_rows.ts";
import { COMMANDS } from "../support/programs/commands.ts";

const ON = { network: "ETH", address: "0xA" } as const;

const ADVICE: readonly (readonly [Advice, RegExp])[] = [
  [{ code: "resume_wallet", ...ON, halted: "restored" }, /help wallet adopt.*wallet resume --net/],
  [{ code: "resume_wallet", ...ON, halted: "made_again" }, /rescan.*wallet adopt.*wallet resume/],
  [{ code: "resume_wallet", ...ON, halted: "used_elsewhere" }, /who used its key.*wallet resume/],
  [{ code: "adopt_spend", network: "ETH", txHash: "0x1" }, /"wallet adopt 0x1 --network ETH"/],
  [{ code: "settle_withdrawal", withdrawalId: 7 }, /"withdrawal settle 7 --as paid"/],
  [{ code: "switch_traces_off", network: "ETH" }, /"network set ETH --traces off"/],
  [{ code: "reconcile_untraced" }, /"reconcile"/],
  [{ code: "resend_dead_events", webhookId: 3 }, /"webhook redeliver --dead"/],
  [{ code: "enable_webhook", webhookId: 3 }, /"webhook enable 3" or "webhook remove 3"/],
  [{ code: "bid_anyway", network: "LTC" }, /bump ID --anyway".*"network set LTC --fee-max AMOUNT"/],
  [{ code: "raise_fee_max", network: "ETH" }, /"network set ETH --fee-max AMOUNT"/],
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
  for (const [advice, command] of ADVICE) {
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

Deno.test("each kind of alert has something to do, and only commands that there are", () => {
  for (const kind of ALERT_KINDS) {
    const steps = stepsFor({ kind, subject: "network:SEPOLIA", advice: null });
    assert.ok(steps, kind);
    assert.doesNotMatch(steps, /\bCODE\b/);
    for (const [, command] of steps.matchAll(/"([^"]+)"/g)) {
      const isKnown = COMMANDS.some(({ words, flags }) =>
        `${command} `.startsWith(`${words.join(" ")} `) &&
        [...command!.matchAll(/--([a-z-]+)/g)].every(([, flag]) => flag! in flags)
      );
      assert.ok(isKnown, `${kind}: ${command}`);
    }
  }
  const old = { kind: "of_an_older_version", subject: "network:ETH", advice: null };
  assert.equal(stepsFor(old), null);
});

Deno.test("alert list shows each message whole, and what to do", async () => {
  await using cli = await makeCli();
  const gateway = await openGateway(readConfig(cli.env));
  const message = `ETH has not been followed for a minute or more: ${"why ".repeat(60)}`.trim();
  await raiseAlert(gateway.deps, { kind: "network_silent", subject: "network:ETH", message });
  const advice = { code: "enable_webhook", webhookId: 3 } as const;
  const webhook = { kind: "webhook_disabled", subject: "webhook:3", message: "Gone" } as const;
  await raiseAlert(gateway.deps, { ...webhook, advice });
  await gateway.close();
  const screen = { columns: 60, hasColours: false };
  const { out } = await cli.run(["alert", "list"], { screen });
  assert.ok(out.split("\n").every((line) => line.length <= 60), out);
  const text = out.replaceAll(/\s+/g, " ");
  assert.ok(text.includes(message), out);
  assert.match(text, /-> "network list" shows .*"network set ETH --rpc-url URL" names others/);
  assert.match(text, /^2 webhook_disabled webhook:3 \S+ Gone -> its events wait until/);
  const [first] = await cli.json("alert", "list");
  assert.match(first.what_to_do, /"webhook enable 3"/);
  assert.match(first.message, /^Gone; its events wait/);
  const silent = await cli.json("alert", "list", "--kind", "network_silent", "--state", "all");
  assert.deepEqual(silent.map(({ id }: { id: number }) => id), [1]);
  const [cut] = await cli.json("alert", "list", "--limit", "1");
  assert.equal(cut.id, 2);
});
