import assert from "node:assert/strict";
import { FormFault } from "../../src/dashboard/form.ts";
import { toldToUser } from "../../src/dashboard/refusal_words.ts";
import { OperatorError, Refused } from "../../src/domain/refusal.ts";

const told = (error: unknown) => toldToUser(error)?.message;

Deno.test("a page tells what is wrong and leaves out what only the command line can do about it", () => {
  for (
    const [message, words] of [
      ['There is no account 77: see "account list"', "There is no account 77"],
      [
        "127.0.0.1:9: no answer; to add BSC without its node give --chain-id and a --start-block number",
        "127.0.0.1:9: no answer",
      ],
      ["There is a user a@b.cc already", "There is a user a@b.cc already"],
    ] as const
  ) assert.equal(told(new OperatorError(message)), words);
});

Deno.test("a form's faults stay with their fields, refusals are told in words, and all else is not told", () => {
  const fault = new FormFault("Please look", new Map([["amount", "Must be more"]]));
  assert.equal(toldToUser(fault), fault);
  assert.equal(
    told(new Refused("amount_below_minimum")),
    "The amount is below the minimum",
  );
  assert.equal(toldToUser(new Error("secret")), undefined);
});
