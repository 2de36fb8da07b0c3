import assert from "node:assert/strict";
import { lookAtAddress, TOO_MANY } from "../../../src/deposits/look_at_address.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { NodeError } from "../../../src/chains/faults.ts";
import { DEAD_NODE, startClockedGateway } from "../../http/clocked_gateway.ts";
import { makeAddress } from "../../store/reads/make_rows.ts";
import { makeNetwork } from "../../support/gateway.ts";

Deno.test("an account looks at twenty addresses, and a minute later at others", async () => {
  await using gateway = await startClockedGateway();
  await makeNetwork(gateway.deps, { rpcUrls: [DEAD_NODE] });
  const tip = () => Promise.reject(new NodeError("Nobody is there"));
  const deps = { ...gateway.deps, chains: { of: () => ({ tip }) } } as unknown as Deps;
  const look = (id: number, accountId = 1) =>
    lookAtAddress(deps, { row: makeAddress({ id, accountId }), waitMs: 60_000 });
  for (let id = 1; id <= 20; id++) assert.equal(await look(id), undefined);
  assert.equal(await look(21), TOO_MANY);
  assert.equal(await look(20), undefined);
  assert.equal(await look(1, 2), undefined);
  gateway.clock.advance(60_000);
  assert.equal(await look(21), undefined);
});
