import assert from "node:assert/strict";
import { makeCli } from "./cli_host.ts";
import { refusalText } from "../../src/operations/words/refusals.ts";
import { OperatorError } from "../../src/domain/refusal.ts";
import { refuse } from "../../src/domain/refusals/refuse.ts";

Deno.test("a refusal has its code, its fields and its fact, and the command line adds a command", () => {
  const cause = new Error("why");
  const refused = refuse("withdrawal_signed", { id: 7, cause });
  assert.ok(refused instanceof OperatorError);
  assert.deepEqual([refused.code, refused.fields], ["withdrawal_signed", { id: 7 }]);
  assert.equal(refused.cause, cause);
  const fact = "Cannot cancel withdrawal 7: it is already signed and may be on its way";
  assert.equal(refused.message, fact);
  assert.equal(refusalText(refused), `${fact}; "withdrawal revoke 7" tries to replace it`);
});

Deno.test("a refusal that nothing can be done about is its fact alone", () => {
  assert.equal(
    refusalText(refuse("replacing_not_allowed")),
    "Only the operator can do this for your account",
  );
});

Deno.test("what only another command line can set right is exit code 2, like any wrong usage", async () => {
  await using cli = await makeCli();
  const add = ["network", "add", "--rpc-url", "http://127.0.0.1:9", "--start-block", "1"];
  assert.equal(
    await cli.fails(2, ...add, "--preset", "TRX", "--gas-price-max", "0.5"),
    "A gas price of 0.5 is too precise: prices there are in sun, with 0 decimals",
  );
  assert.equal(
    await cli.fails(2, ...add),
    "network add needs --code or --preset; for example: --code ETH",
  );
  assert.equal(
    await cli.fails(1, "sweep", "retry", "9"),
    'There is no sweep 9; "sweep list" lists them',
  );
});

Deno.test("what is refused after a restore names the commands that book what was paid, and the last resort", () => {
  const wallet = { network: "ETH", address: "0xA" };
  const anyway = '"wallet resume --network ETH --address 0xA --anyway"';
  assert.equal(
    refusalText(refuse("wallet_unexplained", { ...wallet, count: 2, txHash: "0xB" })),
    '0xA sent 2 payments that the books do not explain, 0xB first; "wallet adopt 0xB --network ' +
      `ETH" books what was yours, so that nothing is paid twice; or ${anyway} if you know that ` +
      "none of it paid a withdrawal",
  );
  assert.equal(
    refusalText(refuse("wallet_not_counted", wallet)),
    "ETH was read before these books had 0xA, and its chain keeps no count of what that sent; " +
      '"rescan --network ETH --from-block N", with an N from before the backup, finds what it paid ' +
      `since; book that with "wallet adopt", then ${anyway}`,
  );
  assert.equal(
    refusalText(refuse("payout_waited_for", {
      id: 7,
      amount: "1",
      currency: "ETH",
      to: "0xC",
      txHash: "0xB",
      output: null,
    })),
    'Withdrawal 7 is waiting to pay 1 ETH to 0xC; use "--withdrawal 7" if 0xB paid it, ' +
      '"--withdrawal new" if not',
  );
});

Deno.test("what is refused because of tampered rows names the command that sets it right", () => {
  const row = { table: "api_keys", key: "cpg_1" };
  assert.equal(
    refusalText(refuse("row_tampered", row)),
    "Row cpg_1 of api_keys is not as this gateway wrote it; restore it, or run " +
      '"integrity accept --table api_keys --row cpg_1" once you have checked it',
  );
  assert.equal(
    refusalText(refuse("row_out_of_date", { ...row, change: "key_revoked" })),
    "Row cpg_1 of api_keys is out of date: the audit log says that the key was revoked. It is " +
      'not used until the change is made again; "key revoke" does that',
  );
});
