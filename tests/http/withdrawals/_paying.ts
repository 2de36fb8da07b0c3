import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import type { Anvil } from "../../support/nodes/anvil.ts";
import type { ApiReply } from "../../support/api_client.ts";
import type { World, WorldMerchant } from "../../support/world.ts";

export const ETHER = 10n ** 18n;
/** The cost of a withdrawal of 1: a fee of 0.5 percent plus 0.0001. */
export const COST_OF_ONE = "1.0051";

export interface Payer extends WorldMerchant {
  withdraw(change?: Record<string, unknown>): Promise<ApiReply>;
  balance(): Promise<{ balance: string; held: string; available: string }>;
}

let recipients = 0;

/** An address that no other test pays. */
export function freshRecipient(): string {
  return `0x${(++recipients).toString(16).padStart(4, "0")}${"c0ffee".repeat(6)}`;
}

/** Money in the books, and money in the hot wallet to pay it with. */
export async function makePayer(
  { world, balance, coins = 1000n }: { world: World; balance: string; coins?: bigint },
): Promise<Payer> {
  const merchant = await world.addMerchant("Payer");
  const { accountId, api, hotWallet } = merchant;
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(world.deps, { ...asset, amount: balance, note: "test", actor: "test" });
  await world.anvil.rpc("anvil_setBalance", [hotWallet, `0x${(coins * ETHER).toString(16)}`]);
  return {
    ...merchant,
    withdraw: (change = {}) =>
      api.post("/v1/withdrawals", {
        currency: "ETH",
        network: "ETH",
        to_address: freshRecipient(),
        amount: "1",
        client_reference: crypto.randomUUID(),
        ...change,
      }),
    balance: async () => {
      const { body } = await api.get("/v1/balances?network=ETH&currency=ETH");
      const { balance, held, available } = body.data[0];
      return { balance, held, available };
    },
  };
}

export async function receivedBy(anvil: Anvil, address: string): Promise<bigint> {
  return BigInt(await anvil.rpc("eth_getBalance", [address, "latest"]));
}

export async function nonceOf(anvil: Anvil, address: string): Promise<number> {
  return Number(await anvil.rpc("eth_getTransactionCount", [address, "latest"]));
}

/** Mines enough blocks to confirm, and reads them. */
export async function settle(world: World): Promise<void> {
  await world.anvil.mine(3);
  await world.round();
}

const SUBMISSION = [
  "withdrawal_id",
  "status",
  "tx_hash",
  "network",
  "currency",
  "to_address",
  "amount_decimal",
  "fee_decimal",
].sort();

const STATUS_READ = [
  "id",
  "currency",
  "network",
  "to_address",
  "amount",
  "fee",
  "status",
  "tx_hash",
  "error_message",
  "requested_at",
  "broadcast_at",
  "confirmed_at",
].sort();

/** The id of a first, successful POST: the submission shape and nothing else (spec 2.5). */
export function submittedId({ status, body }: ApiReply): number {
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual([body.success, body.message], [true, "OK"]);
  assert.deepEqual(Object.keys(body.data).sort(), SUBMISSION);
  assert.equal(body.data.status, "broadcasted");
  assert.match(body.data.tx_hash, /^0x[0-9a-f]{64}$/);
  return body.data.withdrawal_id;
}

// deno-lint-ignore no-explicit-any -- a test knows what it asked for
export function statusRead({ status, body }: ApiReply): any {
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(Object.keys(body.data).sort(), STATUS_READ);
  return body.data;
}

export function isStatusShape(data: object): boolean {
  return JSON.stringify(Object.keys(data).sort()) === JSON.stringify(STATUS_READ);
}
