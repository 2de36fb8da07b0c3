import assert from "node:assert/strict";
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
