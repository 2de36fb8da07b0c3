import assert from "node:assert/strict";
import { apiRefusalText } from "../../src/operations/words/refusals.ts";
import { gasWallet } from "../../src/wallets/gas_wallet.ts";
import { withdrawByHand } from "../../src/withdrawals/by_hand.ts";
import { FormFault } from "../../src/dashboard/form.ts";
import { errorForUser } from "../../src/dashboard/words/refusals.ts";
import { OperatorError, Refused } from "../../src/domain/refusal.ts";
import { refuse } from "../../src/domain/refusals/refuse.ts";
import { enable, makeMerchant, makeNetwork, makeToken, startGateway } from "../support/gateway.ts";

const shown = (error: unknown) => errorForUser(error)?.message;

Deno.test("a page says what is wrong and what helps, without commands", () => {
  const refused = refuse("withdrawal_being_revoked", { id: 7 });
  assert.equal(
    shown(refused),
    'Payout 7 is already being revoked. To raise its fee, choose "Bump fee"',
  );
  const taken = refuse("withdrawal_reference_taken", { id: 7, reference: "a withdrawal" });
  assert.equal(shown(taken), 'Payout 7 already has the reference "a withdrawal"');
  assert.equal(shown(refuse("account_unknown", { id: 77 })), "There is no account 77");
  const prose = new OperatorError("The node is now on a different chain");
  assert.equal(errorForUser(prose), prose);
});

Deno.test("a form's errors stay with their fields, refusals are worded, and nothing else is shown", () => {
  const fault = new FormFault("Please look", new Map([["amount", "Must be more"]]));
  assert.equal(errorForUser(fault), fault);
  assert.equal(
    shown(new Refused("amount_below_minimum")),
    "The amount is below the minimum",
  );
  const unknown = new Refused("currency_not_found", { text: "no rates for GBP, but for USD" });
  assert.equal(shown(unknown), "This currency doesn't exist: no rates for GBP, but for USD");
  assert.equal(
    apiRefusalText(unknown),
    'There are no rates for GBP, but for USD; "rate source add" adds some',
  );
  assert.equal(errorForUser(new Error("secret")), undefined);
});

Deno.test("a withdrawal to where money would be lost says why on the page", async () => {
  await using gateway = await startGateway();
  const { deps } = gateway;
  const network = await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const contract = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
  await makeToken(deps, { network, contract });
  const { accountId } = await makeMerchant(gateway);
  const hot = await enable(deps, { accountId, network, currency: "ETH" });
  const gas = await gasWallet(deps, { network, actor: "test" });
  const own = /^This is a wallet that this gateway itself pays from: the money would not leave it$/;
  const cases: readonly (readonly [to: string, says: RegExp])[] = [
    [contract, /^This is the contract of USDT itself: what is sent there is lost$/],
    [contract.toLowerCase(), /^This is the contract of USDT itself/],
    [`0x${"0".repeat(40)}`, /^This belongs to nobody: what is sent there is lost$/],
    [hot, own],
    [gas.address, own],
    ["0x12", /^This is not an address of that network, or its checksum is wrong$/],
  ];
  for (const [toAddress, says] of cases) {
    const order = { accountId, network, currency: "ETH", toAddress, amount: "1", actor: "test" };
    const error = await withdrawByHand(deps, { ...order, clientReference: toAddress })
      .catch((error) => error);
    assert.match(shown(error) ?? "", says);
  }
});
