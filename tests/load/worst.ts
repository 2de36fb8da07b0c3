import { createUser } from "../../src/access/manage_users.ts";
import type { Deps } from "../../src/deps/deps.ts";
import { judgeDue } from "../../src/invoices/judge_due.ts";
import { createGatewayMetrics } from "../../src/upkeep/metrics.ts";
import { addCurrency } from "../../src/networks/currencies.ts";
import { makeRefundLinkByHand, refundByHand } from "../../src/refunds/by_hand.ts";
import { Refused } from "../../src/domain/refusal.ts";
import { Refunds } from "../../src/refunds/table.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { openGateway } from "../../src/app/gateway.ts";
import { createFollowers } from "../../src/following/workers/follow_chains.ts";
import { InvoiceAddresses, type InvoiceRow } from "../../src/invoices/tables/invoices.ts";
import { makePlace, type Samples } from "../bench/growth/place.ts";
import { makeInvoice, makeLink } from "../support/checkout/invoices.ts";
import { makeSession } from "../support/dashboard/dashboard.ts";
import { enable, makeMerchant } from "../support/gateway.ts";
import type { Anvil } from "../support/nodes/anvil.ts";
import { type Contract, deploy } from "../support/nodes/contracts.ts";
import type { Credentials } from "../support/api_client.ts";

/** An installation with the largest of everything that merchants and payers can make it keep. */
export interface Worst extends AsyncDisposable {
  readonly env: Record<string, string>;
  /** Of the account that everything belongs to. */
  readonly key: Credentials;
  /** Of another account, which must not notice. */
  readonly otherKey: Credentials;
  /** Several sessions of each of several people. */
  readonly sessions: Readonly<Record<"operator" | "merchant", readonly string[]>>;
  readonly samples: Samples;
  readonly dusty: InvoiceRow;
  readonly refunded: InvoiceRow;
  readonly large: InvoiceRow;
  /** Of a payment link. */
  readonly slug: string;
  /** The path of a page on which a payer says where to refund. */
  readonly refund: string;
}

const SIZE = { transactions: 10_000, addresses: 1_000, accounts: 50 };
const COINS = 12;
const USDT = { network: "ETH", currency: "USDT" };
const LARGEST_INVOICES = 200;
const DUSTY_INVOICES = 40;
/** All that count if each is tiny, and if those after them are worth half a percent. */
const DUST = 100;
const PAYMENTS = 300;
const REFUNDS = 1_000;
const AT_ONCE = 50;
const PER_TRANSACTION = 100;
const UNITS = 1_000_000n;
const PEOPLE = 5;
const SESSIONS_EACH = 5;
/** Four bytes each, in as many entries as there may be. */
const LONGEST = "\u{1F4B0}".repeat(250);
const METADATA = Object.fromEntries(
  Array.from({ length: 20 }, (_, i) => [`${i} ${LONGEST}`, LONGEST]),
);
const DETAILS = {
  ...{ metadata: METADATA, reference: "r".repeat(128), customer: "c".repeat(256) },
  ...{ description: "\u{1F4B0}".repeat(500) },
  redirectUrl: `https://shop.example.com/${"p".repeat(1_900)}`,
};

export async function makeWorst(anvil: Anvil): Promise<Worst> {
  const place = await makePlace(SIZE, { rpcUrl: anvil.url });
  const { env, accountId, key } = place.installation;
  const config = readConfig({ ...env, CPG_LOG_LEVEL: "silent" });
  const { deps, close } = await openGateway(config);
  try {
    const tokens = await addCoins(deps, { accountId, anvil });
    const many = (count: number, make: () => Promise<InvoiceRow>) => inTurns(count, make);
    const order = { accountId, amount: "200", currency: "USDT", chosen: USDT };
    const largest = await many(
      LARGEST_INVOICES,
      () => makeInvoice(deps, { ...order, details: DETAILS }),
    );
    const dusty = await many(DUSTY_INVOICES, () => makeInvoice(deps, order));
    const [dustiest, refunded] = await many(2, () => makeInvoice(deps, order));
    const pay = payer(deps, { anvil, token: tokens[0]! });
    const dust = (row: InvoiceRow) => Array<[InvoiceRow, bigint]>(DUST).fill([row, 1n]);
    await pay([
      ...largest.slice(0, DUST).map((row): [InvoiceRow, bigint] => [row, 200n * UNITS]),
      ...dusty.flatMap(dust),
      ...dust(dustiest!),
      ...Array<[InvoiceRow, bigint]>(PAYMENTS - DUST).fill([dustiest!, UNITS]),
      [refunded!, 200n * UNITS],
    ]);
    await follow(deps, anvil);
    await refuseRefunds(deps, { accountId, invoiceId: refunded!.id });
    const other = await makeMerchant({ deps, url: "" }, { rateLimit: 1_000_000_000 });
    return {
      ...{ env, key, otherKey: other.credentials, samples: place.samples },
      ...{ dusty: dustiest!, refunded: refunded!, large: largest[0]! },
      slug: (await makeLink(deps, { accountId })).slug,
      refund: new URL(
        await makeRefundLinkByHand(deps, {
          ...{ ...USDT, accountId, invoiceId: largest[0]!.id, amount: "1", actor: "test" },
        }),
      ).pathname,
      sessions: {
        operator: await sessionsOf(deps, { accountId: null, role: "operator" }),
        merchant: await sessionsOf(deps, { accountId, role: "merchant" }),
      },
      [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
    };
  } catch (error) {
    await place[Symbol.asyncDispose]();
    throw error;
  } finally {
    await close();
  }
}

/** Each is one that invoices may be paid with. */
async function addCoins(
  deps: Deps,
  { accountId, anvil }: { accountId: number; anvil: Anvil },
): Promise<Contract[]> {
  const tokens: Contract[] = [];
  for (let i = 0; i < COINS; i++) {
    const symbol = i === 0 ? "USDT" : `COIN${i}`;
    const token = await deploy(anvil, { name: "Token", args: [symbol, 6] });
    await addCurrency(deps, {
      actor: "test",
      currency: {
        ...{ network: "ETH", symbol, name: symbol, contractAddress: token.address, decimals: 6 },
        ...{ minDepositAmount: "0", minWithdrawalAmount: "0", feeFlat: "0", feePercent: "0" },
      },
    });
    await enable(deps, { accountId, network: "ETH", currency: symbol });
    tokens.push(token);
  }
  return tokens;
}

async function inTurns<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let left = count; left > 0; left -= AT_ONCE) {
    made.push(...await Promise.all(Array.from({ length: Math.min(left, AT_ONCE) }, make)));
  }
  return made;
}

/** Many payments in each transaction. */
function payer(deps: Deps, { anvil, token }: { anvil: Anvil; token: Contract }) {
  return async (payments: readonly (readonly [InvoiceRow, bigint])[]): Promise<void> => {
    const disperse = await deploy(anvil, { name: "Disperse" });
    const total = payments.reduce((sum, [, raw]) => sum + raw, 0n);
    await token.send("mint", [anvil.accounts[0], total]);
    await token.send("approve", [disperse.address, total]);
    for (let at = 0; at < payments.length; at += PER_TRANSACTION) {
      const part = payments.slice(at, at + PER_TRANSACTION);
      const given = await Promise.all(
        part.map(([{ id }]) => deps.db.get(InvoiceAddresses, [id, "ETH"])),
      );
      const to = given.map(({ address }) => address);
      await disperse.send("token_", [token.address, to, part.map(([, raw]) => raw)]);
    }
  };
}

/** Until everything that was paid is credited, and the invoices say so. */
async function follow(deps: Deps, anvil: Anvil): Promise<void> {
  const followers = createFollowers(deps, createGatewayMetrics());
  const { signal } = new AbortController();
  await anvil.mine(3);
  for (;;) {
    await followers.run(signal);
    await followers.idle();
    const [row] = await deps.db.query(
      "SELECT count(*) AS count FROM transactions WHERE currency = 'USDT' AND status = 'detected'",
      [],
    );
    const isRead = (await deps.db.query("SELECT 1 FROM invoice_payments LIMIT 1", [])).length > 0;
    if (isRead && Number(row!.count) === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await judgeDue(deps);
}

/** The hot wallet has nothing to pay them with. */
async function refuseRefunds(
  deps: Deps,
  { accountId, invoiceId }: { accountId: number; invoiceId: number },
): Promise<void> {
  let made = 0;
  await inTurns(REFUNDS, () =>
    refundByHand(deps, {
      ...{ ...USDT, accountId, invoiceId, amount: "0.1", clientReference: `refund-${made++}` },
      ...{ actor: "test", toAddress: "0x000000000000000000000000000000000000bEEF" },
    }).catch((error) => {
      if (!(error instanceof Refused)) throw error;
    }));
  const { length } = await deps.db.list(Refunds, { invoiceId });
  if (length !== REFUNDS) throw new Error(`${length} refunds instead of ${REFUNDS}`);
}

async function sessionsOf(
  deps: Deps,
  { accountId, role }: { accountId: number | null; role: "operator" | "merchant" },
): Promise<string[]> {
  const tokens: string[] = [];
  for (let i = 0; i < PEOPLE; i++) {
    const email = `${role}-${i}@example.com`;
    const user = await createUser(deps, { role, accountId, email, actor: "test" }, null);
    for (let n = 0; n < SESSIONS_EACH; n++) tokens.push(await makeSession(deps, user));
  }
  return tokens;
}
