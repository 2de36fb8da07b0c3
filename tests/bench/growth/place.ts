import { createBatch } from "../../../src/payouts/create_batch.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { openSeed, SEED, SEED_CONTEXT } from "../../../src/upkeep/open_key_ring.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { SEALED_TABLES } from "../../../src/store/reads/sealed.ts";
import { enable, makeMerchant } from "../../support/gateway.ts";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { makeLogin } from "../../support/dashboard/dashboard.ts";
import type { PageSamples } from "../../support/dashboard/page_paths.ts";
import { addOwnRule } from "../../support/payouts.ts";
import { makeInvoice } from "../../support/checkout/invoices.ts";
import { makeWebhook } from "../../support/webhooks.ts";
import { type Installation, makeInstallation, START_BALANCE } from "../installation.ts";
import { makeTenRules } from "../rule_figure.ts";
import { countPayments } from "./counted.ts";
import { fill, FIRST_ID, type Size } from "./fill.ts";

const BATCH = Array.from({ length: 100 }, (_, i) => ({
  ...{ line: i + 1, network: "ETH", currency: "ETH", amount: "0.001", reference: null },
  toAddress: "0x000000000000000000000000000000000000bEEF",
}));

/** An installation of some size, and the requests that it can answer. */
export interface Place extends AsyncDisposable {
  readonly installation: Installation;
  readonly tokens: Readonly<Record<"operator" | "merchant", string>>;
  /** Of another account, whose payments ten rules look at. */
  readonly ruledKey: Installation["key"];
  readonly samples: Samples;
}

export interface Samples extends PageSamples {
  readonly requestId: number;
}

export async function makePlace(size: Size, { rpcUrl }: { rpcUrl: string }): Promise<Place> {
  const installation = await makeInstallation({ rpcUrl });
  const { env, accountId, key, hotWallet } = installation;
  const opened = await withGateway(env, async (deps) => ({
    batch: await createBatch(deps, { accountId, lines: BATCH, actor: "test" }),
    invoice: await makeInvoice(deps, { accountId, chosen: null }),
    rule: await addOwnRule(deps, { accountId }),
    endpointId: (await makeWebhook(deps, { url: "https://shop.example.com/hooks", accountId })).id,
    ruledKey: await makeRuledMerchant(deps),
  }));
  const { endpointId, ruledKey } = opened;
  const owner = { accountId, keyId: key.keyId, hotWallet, endpointId };
  await withGateway(env, forgetSeals);
  await fill(env.CPG_DATABASE_URL!, { size, owner });
  await countPayments(env.CPG_DATABASE_URL!, size.transactions);
  // Only now: a login's password counts for some pages for a while only.
  const found = await withGateway(env, async (deps) => ({
    samples: await samplesOf(deps, endpointId),
    tokens: {
      operator: (await makeLogin(deps)).token,
      merchant: (await makeLogin(deps, { accountId })).token,
    },
  }));
  return {
    installation,
    ...found,
    ruledKey,
    [Symbol.asyncDispose]: () => installation[Symbol.asyncDispose](),
  };
}

async function makeRuledMerchant(deps: Deps): Promise<Installation["key"]> {
  const { accountId, credentials } = await makeMerchant({ deps, url: "" }, {
    rateLimit: 1_000_000_000,
  });
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(deps, { ...asset, amount: START_BALANCE, note: "bench", actor: "bench" });
  await makeTenRules(deps, { accountId, recipient: BATCH[0]!.toAddress });
  const { keyId, secret } = credentials;
  return { keyId, secret };
}

/** Turns the books into ones from before there were seals; the next start seals all of them. */
export async function forgetSeals({ db, vault }: Deps): Promise<void> {
  const sealed = await vault.seal(await openSeed({ db, vault }), SEED_CONTEXT);
  await db.execute([
    { sql: "UPDATE secrets SET sealed = ? WHERE name = ?", args: [sealed, SEED] },
    ...SEALED_TABLES.map(({ name }) => ({ sql: `UPDATE ${name} SET seal = NULL` })),
  ]);
}

async function samplesOf({ db }: Deps, endpointId: number): Promise<Samples> {
  // The sticky address of a customer, in the middle of the account's.
  const n = 42;
  const [row] = await db.query(
    `SELECT (SELECT address FROM addresses WHERE id = ?) AS address,
  (SELECT tx_hash FROM transactions WHERE id = ?) AS tx_hash`,
    [FIRST_ID + n, FIRST_ID + 555],
  );
  return {
    endpointId,
    requestId: FIRST_ID + n,
    address: String(row!.address),
    withdrawalId: FIRST_ID + 111,
    depositId: FIRST_ID + 555,
    addressId: FIRST_ID + n,
    sweepId: FIRST_ID + 55,
    invoiceId: 1,
    txHash: String(row!.tx_hash),
    eventId: FIRST_ID + 555,
    user: `customer-${n}`,
    cursor: FIRST_ID + 500,
    actor: "api:key-3",
  };
}

export async function withGateway<T>(
  env: Record<string, string>,
  work: (deps: Deps) => Promise<T>,
): Promise<T> {
  const gateway = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  try {
    return await work(gateway.deps);
  } finally {
    await gateway.close();
  }
}
