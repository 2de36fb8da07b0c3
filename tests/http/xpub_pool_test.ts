import assert from "node:assert/strict";
import { setReceivingWallet } from "../../src/accounts/receiving_wallet.ts";
import { enable, makeNetwork } from "../support/gateway.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "./clocked_gateway.ts";

const DAY_MS = 86_400_000;
/** BIP-84's own example. */
const ZPUB =
  "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs";
const [FIRST, SECOND] = [
  "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu",
  "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g",
] as const;
const OUTSIDE = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";

Deno.test("addresses of a merchant's own key are given again as the pool's are, while it is in use", async () => {
  const gateway = await startClockedGateway();
  try {
    const { deps, clock } = gateway;
    const bitcoin = { family: "bitcoin", symbol: "BTC", decimals: 8, chainId: "BTC" } as const;
    await makeNetwork(deps, { code: "BTC", ...bitcoin, rpcUrls: [DEAD_NODE] });
    const { accountId, api } = await makeClockedMerchant(gateway);
    await enable(deps, { accountId, network: "BTC", currency: "BTC" });
    const allocate = async (): Promise<string> => {
      const idempotency_key = crypto.randomUUID();
      const body = { currency: "BTC", network: "BTC", idempotency_key };
      return (await api.post("/v1/deposit-addresses", body)).body.data.address;
    };
    const receive = async (address: string) => {
      const order = { accountId, network: "BTC", address, isNow: true, actor: "test" };
      await setReceivingWallet(deps, order);
    };
    const ofSeed = await allocate();
    await receive(ZPUB);
    assert.equal(await allocate(), FIRST);
    clock.advance(7 * DAY_MS - 1_000);
    assert.equal(await allocate(), SECOND);
    clock.advance(2_000);
    assert.equal(await allocate(), FIRST);
    await receive(OUTSIDE);
    assert.equal(await allocate(), ofSeed);
    clock.advance(8 * DAY_MS);
    assert.equal(await allocate(), ofSeed);
    await receive(ZPUB);
    assert.ok([FIRST, SECOND].includes(await allocate() as typeof FIRST));
  } finally {
    await gateway.stop();
  }
});
