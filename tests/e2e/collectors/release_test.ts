import assert from "node:assert/strict";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { releaseAddress } from "../../../src/collectors/release.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { cliOn } from "../../cli/cli_host.ts";
import { heldBy, PAID, startScene, statesOf, switchOn } from "../../support/collecting.ts";
import { payIn, RECEIVER } from "../../support/sweeping.ts";

const ACTOR = "test";

Deno.test("collect 3: an address is released only where it stays so", async () => {
  await using scene = await startScene(2);
  const { world, world: { deps, merchant: { accountId } }, anvil, token, addresses } = scene;
  await switchOn(scene, { collect: "batch" });
  await world.turn(4);
  assert.deepEqual(await statesOf(scene), ["done", "done"]);
  const [one, other] = [addresses[0]!, addresses[1]!];
  const codeAt = (address: string) => anvil.rpc("eth_getCode", [address, "latest"]);
  await using cli = cliOn({ env: world.place.env, remove: () => Promise.resolve() });
  const ask = ["network", "collector", "ETH", "--release"];
  const said = await cli.fails(1, ...ask, one);
  assert.match(said, /would delegate again: sweeps of ETH share transactions/);
  assert.match(said, /first "network set ETH --collect single"/);
  assert.notEqual(await codeAt(one), "0x");

  // Its account takes coins, so batches let nothing of it delegate.
  await setAccount(deps, { id: accountId, change: { delegatesNative: false }, actor: ACTOR });
  await cli.json(...ask, one);
  await world.turn(2);
  for (const to of addresses) await payIn(world, { to, raw: PAID, token });
  await world.turn(6);
  assert.equal(await heldBy(token, RECEIVER), 4n * PAID);
  assert.equal(await codeAt(one), "0x");

  await setNetwork(deps, { code: "ETH", change: { collect: "single" }, actor: ACTOR });
  await setAccount(deps, { id: accountId, change: { delegatesNative: true }, actor: ACTOR });
  const network = await findNetwork(deps, "ETH");
  await releaseAddress(deps, { network, address: other, actor: ACTOR });
  await anvil.mine(1);
  assert.equal(await codeAt(other), "0x");
});
