import assert from "node:assert/strict";
import { resumeSigning, stopSigning } from "../../../src/integrity/manage_stop.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { addPolicy } from "../../../src/policies/manage.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { sentId, startPayingWorld } from "../../support/payouts.ts";
import { writesNothing } from "../../support/stage.ts";

const ORDER = { network: "ETH", currency: "ETH", to_address: STRANGER };

Deno.test("a check says what the same withdrawal would be answered, and writes nothing", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, accountId, hotWallet } } = world;
  const check = async (amount: string, more: Partial<typeof ORDER> = {}) => {
    const { status, body } = await api.post("/v1/withdrawals/check", { ...ORDER, amount, ...more });
    return status === 200 ? body.data : [status, body.message];
  };
  const free = { outcome: "allow", rules: [], fee_decimal: "0.1501", payable: true, blocked: null };
  assert.ok(
    await writesNothing(deps, async () => assert.deepEqual(await check("30"), free)),
    "it writes",
  );
  const { payable, blocked } = await check("101");
  assert.deepEqual([payable, blocked], [true, "balance"], "the account has 100, its wallet 200");
  const elsewhere = { to_address: `0x${"z".repeat(40)}` };
  assert.equal((await check("1", elsewhere))[0], 400, "as for a withdrawal");

  await setBalance(anvil, hotWallet, 60n * ETHER);
  await anvil.mine(1);
  assert.equal((await check("30")).payable, true);
  sentId(await api.post("/v1/withdrawals", { ...ORDER, amount: "40", client_reference: "sent" }));
  assert.deepEqual(await check("30"), { ...free, payable: false }, "40 are on their way already");
  assert.equal((await check("10")).payable, true);
  await setNetwork(deps, { code: "ETH", change: { hotGasTarget: "15" }, actor: "test" });
  assert.equal((await check("10")).payable, false, "what the operator keeps there for gas stays");

  await stopSigning(deps, { reason: null, actor: "test" });
  assert.equal((await check("1")).blocked, "stopped");
  await resumeSigning(deps, { actor: "test" });
  const { id } = await addPolicy(deps, {
    ...{ label: "Never", accountId, keyId: null, network: null, currency: null, each: null },
    ...{ condition: "always", cap: null, approvals: 1, expiresMs: 86_400_000 },
    ...{ outcome: "refuse", setBy: "operator", actor: "test" },
  });
  const { outcome, rules } = await check("1");
  assert.deepEqual([outcome, rules], [
    "refuse",
    [{ policy_id: id, label: "Never", outcome: "refuse" }],
  ]);
});
