import type { Deps } from "../../src/deps/deps.ts";
import { addPolicy } from "../../src/policies/manage.ts";
import assert from "node:assert/strict";
import { adjustBalance } from "../../src/accounts/manage_accounts.ts";
import { type FlatSigned, signedRows } from "./signed_rows.ts";
import type { Anvil } from "./nodes/anvil.ts";
import type { ApiClient, ApiReply } from "./api_client.ts";
import { audit } from "./auditor.ts";
import { ETHER, setBalance } from "./payers.ts";
import { withdrawalOf } from "./views.ts";
import { startWorld, type World, type WorldMerchant, type WorldOptions } from "./world.ts";

/** The amount that `startPayingWorld` adjusts the account by. */
export const ADJUSTED = "100";

/** A world whose rounds are run by hand, and a merchant with 100 coins in the books and 200 to pay with. */
export async function startPayingWorld(options: WorldOptions): Promise<World> {
  const world = await startWorld({ ...options, env: { CPG_WORKER: "false", ...options.env } });
  await fundMerchant(world, world.merchant);
  return world;
}

export async function fundMerchant(
  { deps, anvil }: World,
  { accountId, hotWallet }: WorldMerchant,
): Promise<void> {
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(deps, { ...asset, amount: ADJUSTED, note: "test", actor: "test" });
  await setBalance(anvil, hotWallet, 200n * ETHER);
  // Into a block, so that a reorganisation does not take it away.
  await anvil.mine(1);
}

export function auditPayer(
  { anvil, merchant: { api } }: World,
  { outsideHashes = [], adjusted = ADJUSTED }: {
    outsideHashes?: readonly string[];
    adjusted?: string;
  } = {},
): Promise<void> {
  const outside = { hashes: outsideHashes, receivedRaw: 0n };
  return audit({ api, anvil, addresses: [], adjusted, outside });
}

/** Mines enough blocks to confirm, and reads them. */
export async function settleAll(world: World): Promise<void> {
  await world.anvil.mine(3);
  await world.round();
}

export async function statusOf(api: ApiClient, id: number): Promise<string> {
  return (await withdrawalOf(api, id)).status;
}

export async function receivedBy(anvil: Anvil, address: string): Promise<bigint> {
  return BigInt(await anvil.rpc("eth_getBalance", [address, "latest"]));
}

export async function nonceOf(anvil: Anvil, address: string): Promise<number> {
  return Number(await anvil.rpc("eth_getTransactionCount", [address, "latest"]));
}

export function transfersOf({ deps }: World): Promise<FlatSigned[]> {
  return signedRows(deps);
}

/** The id of a withdrawal that was taken. */
export function sentId({ status, body }: ApiReply): number {
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.data.status, "broadcasted");
  return body.data.withdrawal_id;
}

/** The id of a withdrawal that was answered with 502. */
export function rejectedId({ status, body }: ApiReply): number {
  assert.equal(status, 502, JSON.stringify(body));
  assert.equal(body.message, "Failed to broadcast withdrawal transaction");
  assert.equal(body.data.status, "failed");
  return body.data.id;
}

const DAY_MS = 86_400_000;

/** An account's own rule, which no payment of a test comes near. */
export async function addOwnRule(
  deps: Deps,
  { accountId, label = "A very large payout" }: { accountId: number; label?: string },
): Promise<number> {
  const { id } = await addPolicy(deps, {
    ...{ label, accountId, keyId: null, network: null, currency: "ETH", each: null },
    ...{ condition: "max_day", cap: "9".repeat(60), outcome: "approve", approvals: 2 },
    ...{ expiresMs: DAY_MS, setBy: "merchant", actor: "test" },
  });
  return id;
}

/** From now on each payout waits for operators. Returns the id of the rule. */
export async function askForApprovals(deps: Deps, approvals = 1): Promise<number> {
  const { id } = await addPolicy(deps, {
    ...{ label: "All payouts", accountId: null, keyId: null, network: null, currency: null },
    ...{ each: null, condition: "always", cap: null, outcome: "approve", approvals },
    ...{ expiresMs: DAY_MS, setBy: "operator", actor: "test" },
  });
  return id;
}
