import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { addNetwork } from "../../../src/networks/add.ts";
import { enable } from "../../support/gateway.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "../clocked_gateway.ts";
import { assertRefused, assertUnpayable } from "./refusals.ts";

const VALID = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
const INVALID: Record<string, string> = {
  "a wrong checksum": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u",
  "two digits swapped": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjL6jt",
  "a digit that base58 has not": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj60",
  "one character too few": VALID.slice(0, -1),
  "one character too many": `${VALID}t`,
  "white space before": ` ${VALID}`,
  "white space after": `${VALID} `,
  "other capitals": VALID.toLowerCase(),
  "the hexadecimal form": "41a614f803b6fd780986a42c78ec9c7f77e6ded13c",
  "another family's form": "0xa614f803b6fd780986a42c78ec9c7f77e6ded13c",
  "another chain's base58check": "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
};
const ZEROS = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb";

async function withTron(
  work: (withdraw: (to: string) => ReturnType<typeof send>, deposit: string) => Promise<void>,
): Promise<void> {
  await using gateway = await startClockedGateway();
  await addNetwork(gateway.deps, {
    actor: "test",
    network: {
      code: "TRX",
      family: "tron",
      name: "TRON",
      nativeSymbol: "TRX",
      nativeDecimals: 6,
      chainId: "728126428",
      genesisHash: null,
      rpcUrls: [DEAD_NODE],
      minConfirmations: 19,
      pollIntervalMs: 1000,
      startHeight: 1,
      tipAtMs: null,
      finality: "none",
      quorum: 1,
      traces: "auto",
      currencies: [{
        symbol: "TRX",
        name: "TRON",
        contractAddress: null,
        decimals: 6,
        minDepositAmount: "0",
        minWithdrawalAmount: "1",
        feeFlat: "0",
        feePercent: "0",
      }],
    },
  });
  const merchant = await makeClockedMerchant(gateway);
  const asset = { accountId: merchant.accountId, network: "TRX", currency: "TRX" };
  await enable(gateway.deps, asset);
  await adjustBalance(gateway.deps, { ...asset, amount: "100", note: "", actor: "test" });
  const order = { currency: "TRX", network: "TRX" };
  const { body } = await merchant.api.post("/v1/deposit-addresses", order);
  await work((to) => send(merchant, to), body.data.address);
}

function send({ api }: Awaited<ReturnType<typeof makeClockedMerchant>>, to_address: string) {
  const order = { currency: "TRX", network: "TRX", amount: "1", to_address };
  return api.post("/v1/withdrawals", { ...order, client_reference: crypto.randomUUID() });
}

Deno.test("contract 1: a TRON address is base58check, anything else is 400 before any hold", () =>
  withTron(async (withdraw) => {
    for (const [what, to] of Object.entries(INVALID)) {
      const reply = await withdraw(to);
      assert.equal(reply.status, 400, what);
      assertRefused(reply, "invalid_address");
    }
    assertUnpayable(await withdraw(ZEROS), /what is sent there is lost$/);
    const reply = await withdraw(VALID);
    assertRefused(reply, "broadcast_rejected");
    assert.equal(reply.body.data.to_address, VALID);
  }));

Deno.test("spec 4.4, contract 1: a TRON deposit address is one that a withdrawal may go to", () =>
  withTron(async (withdraw, deposit) => {
    assert.match(deposit, /^T[1-9A-HJ-NP-Za-km-z]{33}$/);
    assertRefused(await withdraw(deposit), "broadcast_rejected");
  }));
