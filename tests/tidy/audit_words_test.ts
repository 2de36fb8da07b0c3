import assert from "node:assert/strict";
import { FACTS } from "../../src/domain/audit_facts.ts";
import { DEED_GROUPS } from "../../src/dashboard/words/audit/deeds.ts";
import { WITHDRAWAL_MOVES } from "../../src/domain/states/withdrawal_moves.ts";

const ROOT = new URL("../../src/actions/", import.meta.url);
const TRIGGERS = Object.values(WITHDRAWAL_MOVES).flatMap((moves) => Object.keys(moves));

/** A line that names an action, or a constant for one. */
const NAMING = /\b(action|ACTION)\b|^\s*(export )?const [A-Z_]+ = "/;
/** Constants for something else. */
const NO_DEEDS = ["secrets.seed", "secrets.seals"];

async function* sources(folder: URL): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const url = new URL(isDirectory ? `${name}/` : name, folder);
    if (isDirectory) yield* sources(url);
    else yield await Deno.readTextFile(url);
  }
}

Deno.test("every action of the audit log has words", async () => {
  const texts = await Array.fromAsync(sources(ROOT));
  const found = texts.flatMap((text) => text.split("\n"))
    .filter((line) => NAMING.test(line) && !line.includes("import "))
    .flatMap((line) => [...line.matchAll(/"([a-z_]+\.[a-z_]+)"/g)])
    .map(([, action]) => action!)
    .filter((action) => !NO_DEEDS.includes(action));
  const done = new Set([...found, ...TRIGGERS.map((trigger) => `withdrawal.${trigger}`)]);
  const worded = Object.values(DEED_GROUPS).flatMap(({ deeds }) => Object.keys(deeds));
  assert.deepEqual([...done].filter((action) => !worded.includes(action)), []);
  assert.equal(new Set(worded).size, worded.length);
});

/** The compiler refuses an entry of these that lacks one side. */
const BOTH_SIDES = [
  "account.adjusted",
  "account.changed",
  "account.checkout_set",
  "account.currency_enabled",
  "account.receiving_wallet_set",
  "account.suspended",
  "account.unfrozen",
  "account.unsuspended",
  "alert.resolved",
  "batch.started",
  "currency.changed",
  "deposit.confirmed",
  "deposit.reversed",
  "deposit.vanished",
  "dual_control.switched",
  "gateway.resumed",
  "gateway.stopped",
  "integrity.resumed",
  "invoice.accepted",
  "invoice.added_up_again",
  "invoice.cancelled",
  "invoice.extended",
  "key.changed",
  "key.revoked",
  "master_key.rotated",
  "master_key.rotating",
  "network.changed",
  "network.removed",
  "network.resumed",
  "notify.removed",
  "payee.added",
  "payee.removed",
  "payment_link.created",
  "payment_link.deactivated",
  "policy.added",
  "policy.edited",
  "policy.ready",
  "policy.counted_anew",
  "policy.removed",
  "policy.switched_off",
  "policy.switched_on",
  "proposal.approved",
  "proposal.expired",
  "proposal.made",
  "proposal.rejected",
  "rate_source.added",
  "rate_source.removed",
  "recipient.allowed",
  "settings.changed",
  "sweep.retried",
  "user.created",
  "user.disabled",
  "user.enabled",
  "user.recovery_code_used",
  "user.recovery_codes_renewed",
  "user.reset",
  "user.role_changed",
  "user.second_factor_off",
  "user.second_factor_on",
  "user.session_ended",
  "wallet.resumed",
  "webhook.changed",
  "webhook.disabled",
  "webhook.enabled",
  "webhook.removed",
  "webhook.rotated",
  "withdrawal.approved",
  "withdrawal.broadcast_rejected",
  "withdrawal.cancelled",
  "withdrawal.confirmed",
  "withdrawal.dropped",
  "withdrawal.expired",
  "withdrawal.no_hot_wallet",
  "withdrawal.reject",
  "withdrawal.rejected",
  "withdrawal.reverted",
  "withdrawal.sent",
];

Deno.test("every action of the audit log says before and after, or there is a reason why it can't", () => {
  const worded = Object.values(DEED_GROUPS).flatMap(({ deeds }) => Object.keys(deeds));
  const listed = [...BOTH_SIDES, ...Object.keys(FACTS)];
  assert.deepEqual(listed.toSorted(), worded.toSorted());
  for (const [action, reason] of Object.entries(FACTS)) assert.ok(reason.length > 20, action);
});
