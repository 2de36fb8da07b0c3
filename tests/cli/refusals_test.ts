import assert from "node:assert/strict";
import { makeCli } from "./cli_host.ts";
import { refusalText } from "../../src/cli/words/refusals.ts";
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
    "A gas price of 0.5 is too precise: prices there are in sun, of 0 decimals",
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
