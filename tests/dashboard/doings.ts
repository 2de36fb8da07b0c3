import { createBatch } from "../../src/payouts/create_batch.ts";
import { confirmSecondFactor, offerSecondFactor } from "../../src/access/manage_second_factor.ts";
import { createApiKey } from "../../src/access/manage_api_keys.ts";
import { addPasskey } from "../../src/access/manage_passkeys.ts";
import { addPayee } from "../../src/payees/payees.ts";
import { removePolicy } from "../../src/policies/manage.ts";
import { addSource } from "../../src/rates/manage.ts";
import { setReceivingWallet } from "../../src/accounts/receiving_wallet.ts";
import { userLink } from "../../src/access/manage_links.ts";
import { totpAt } from "../../src/base/secrets/totp.ts";
import { csrfOf } from "../../src/dashboard/cookies.ts";
import { Addresses } from "../../src/wallets/tables/addresses.ts";
import { Sessions, type UserRow } from "../../src/access/tables/users.ts";
import { makeInvoice, makeLink, partlyPaidInvoice } from "../support/checkout/invoices.ts";
import { deploy } from "../support/nodes/contracts.ts";
import { newPasskey } from "../support/dashboard/authenticator.ts";
import { dashboardFetch, makeSession, makeUser, PASSWORD } from "../support/dashboard/dashboard.ts";
import { STRANGER } from "../support/payers.ts";
import { fundGasWallet } from "../support/sweeping.ts";
import { allocate } from "../support/views.ts";
import { waitingProposal } from "../support/people/proposals.ts";
import { lineWords } from "../cli/line_of.ts";
import { present } from "../../src/base/assert.ts";
import { fieldOf } from "../../src/operations/operation.ts";
import type { Route } from "../../src/dashboard/routes.ts";
import { makeStage, type Stage } from "../support/stage.ts";
import type { World } from "../support/world.ts";
import { addOwnRule, askForApprovals } from "../support/payouts.ts";

const STEP_MS = 30_000;

interface Doing {
  readonly ids?: Readonly<Record<string, string | number>>;
  readonly form?: Readonly<Record<string, string>>;
  /** The session cookie, if a user other than the operator sends the form. */
  readonly token?: string;
  /** Nothing is written. */
  readonly isLook?: boolean;
  /** The gateway raises the same alerts by itself, without the form. */
  readonly isReportedByItself?: boolean;
}

interface Scene extends Stage {
  readonly world: World;
  readonly contract: string;
  newUser(): Promise<UserRow>;
  withFactor(): Promise<{ user: UserRow; secret: string }>;
}

/** The id of the newest user created by a scene. */
export let users = 0;
const codeNow = (secret: string, later = 0) =>
  totpAt(secret, Math.floor(Date.now() / STEP_MS) + later);
const LIMITS = {
  ...{ min_deposit: "0", min_withdrawal: "0", fee_flat: "0", fee_percent: "0" },
  ...{ sweep_min: "0", native_rate: "0", gas_max: "50000", name: "A token" },
};
const NETWORK = {
  ...{ name: "Own", min_confirmations: "3", quorum: "1", poll_interval_ms: "50" },
  ...{ gas_price_max: "0", hot_gas_target: "0", finality: "none", traces: "auto" },
};
const node = ({ world }: Scene) => ({ family: "evm", rpc_url: world.anvil.url });
const onToken = ({ contract }: Scene): Doing => ({ ids: { code: "ETH" }, form: { contract } });
const sentOne = async (scene: Scene): Promise<Doing> => ({
  ids: { id: await scene.sentWithdrawal() },
});
const webhook = async (scene: Scene): Promise<Doing> => ({ ids: { id: await scene.webhook() } });

const openInvoice = async ({ deps, accountId }: Scene): Promise<Doing> => ({
  ids: { id: (await makeInvoice(deps, { accountId })).id },
});

/** The rule that asked for it is gone again, or everything later would wait too. */
async function waitingApproval(scene: Scene): Promise<Doing> {
  const id = await askForApprovals(scene.deps);
  const withdrawalId = await scene.waitingWithdrawal();
  await removePolicy(scene.deps, { id, actor: "test" });
  return { ids: { id: withdrawalId } };
}

const PAYEE = { network: "ETH", label: "Supplier" };
const RULE = {
  ...{ label: "Rule", account: "", currency: "ETH", condition: "max_payment", cap: "999999" },
  ...{ outcome: "approve", approvals: "1", expires: "24h" },
};
const ownRule = async ({ deps, accountId }: Scene): Promise<Doing> => ({
  ids: { id: await addOwnRule(deps, { accountId }) },
});

/** A successful request for a POST of the dashboard: as its operation's examples say, or as here. */
export async function doingOf(
  { path, operation }: Route & { kind: "act" },
  scene: Scene,
): Promise<Doing> {
  const doing = DOINGS[path];
  if (doing) return await doing(scene);
  const { flags } = present(operation, `a way to do ${path}`);
  const asked = Object.entries(flags).filter(([, { need }]) => need === "required");
  const form = asked.map(([name, { example }]) => [fieldOf(name), lineWords(example).join(" ")]);
  return { ids: { id: scene.accountId }, form: Object.fromEntries(form) };
}

/** Those that need something that is there already, or have fields of their own. */
export const DOINGS: Readonly<Record<string, (scene: Scene) => Doing | Promise<Doing>>> = {
  "/addresses/:id{[0-9]+}/look": async ({ world }) => {
    const { address } = await allocate(world.merchant.api);
    const row = await world.deps.db.get(Addresses, ["ETH", address], "address");
    return { ids: { id: row.id }, isLook: true };
  },
  "/deposits/credit": async (scene) => ({
    form: { ...scene.asset, address: await scene.surplus(), amount: "1", note: "x", accountId: "" },
  }),
  "/deposits/:id{[0-9]+}/reverse": async ({ confirmedDeposit }) => ({
    ids: { id: await confirmedDeposit() },
    form: { note: "x" },
  }),
  "/deposits/:id{[0-9]+}/vouch": async ({ unprovenDeposit }) => ({
    ids: { id: await unprovenDeposit() },
    form: { as: "uncredited", note: "x" },
  }),
  "/counter": ({ accountId }) => ({
    form: {
      ...{ account: String(accountId), amount: "0.01", currency: "ETH" },
      once: crypto.randomUUID(),
    },
  }),
  "/checkout": ({ accountId }) => ({ form: { account: String(accountId), digits: "6" } }),
  "/invoices/new": ({ accountId }) => ({
    form: {
      ...{ account: String(accountId), amount: "0.01", currency: "ETH", expires_in: "900" },
      once: crypto.randomUUID(),
    },
  }),
  "/payment-links/new": ({ accountId }) => ({
    form: { account: String(accountId), title: "Tea", amount: "0.01", currency: "ETH" },
  }),
  "/payment-links/:id{[0-9]+}/deactivate": async ({ deps, accountId }) => ({
    ids: { id: (await makeLink(deps, { accountId })).id },
  }),
  "/invoices/:id{[0-9]+}/cancel": openInvoice,
  "/invoices/:id{[0-9]+}/extend": async (scene) => ({
    ...await openInvoice(scene),
    form: { expires_in: "3600" },
  }),
  "/invoices/:id{[0-9]+}/accept": async ({ world }) => ({
    ids: { id: (await partlyPaidInvoice(world)).id },
    form: { reason: "x" },
  }),
  "/invoices/:id{[0-9]+}/notes": async (scene) => ({
    ...await openInvoice(scene),
    form: { note: "x" },
  }),
  "/invoices/:id{[0-9]+}/refund": async ({ world }) => ({
    ids: { id: (await partlyPaidInvoice(world)).id },
    form: { asset: "ETH/ETH", to_address: STRANGER, amount: "0.001", once: "refund" },
  }),
  "/invoices/:id{[0-9]+}/refund-value": async ({ world }) => {
    const price = { base: "ETH", quote: "CHF", kind: "manual", value: "2500" } as const;
    await addSource(world.deps, { ...price, actor: "test" });
    const { id } = await partlyPaidInvoice(world, {}, { amount: "25", currency: "CHF" });
    return { ids: { id }, form: { asset: "ETH/ETH", value: "2.5" }, isLook: true };
  },
  "/invoices/:id{[0-9]+}/refund-link": async ({ world }) => ({
    ids: { id: (await partlyPaidInvoice(world)).id },
    form: { asset: "ETH/ETH", link_amount: "0.001" },
  }),
  "/sweeps/:id{[0-9]+}/retry": async ({ parkedSweep }) => ({ ids: { id: await parkedSweep() } }),
  "/reconcile": () => ({ isReportedByItself: true }),
  "/audit/verify": () => ({ isLook: true }),
  "/wallets/:id{[0-9]+}/resume": async ({ deps, haltedWallet, hotWallet }) => {
    await haltedWallet();
    const row = await deps.db.find(Addresses, ["ETH", hotWallet], "address");
    // No worker is running that could catch up first.
    return { ids: { id: row!.id }, form: { anyway: "on" } };
  },
  "/withdrawals/:id{[0-9]+}/settle": async ({ unpaidWithdrawal }) => ({
    ids: { id: await unpaidWithdrawal() },
    form: { as: "paid" },
  }),
  "/withdrawals/new": ({ accountId }) => ({
    form: {
      account: String(accountId),
      asset: "ETH/ETH",
      to_address: STRANGER,
      amount: "1",
      once: "1",
    },
  }),
  "/batches/new": ({ accountId }) => ({
    form: {
      ...{ account: String(accountId), asset: "ETH/ETH" },
      lines: `to_address,amount\n${STRANGER},1`,
    },
  }),
  "/batches/:id{[0-9]+}/send": async ({ deps, accountId }) => {
    const line = { line: 1, network: "ETH", currency: "ETH", toAddress: STRANGER, amount: "0.5" };
    const lines = [{ ...line, reference: null }];
    const { id } = await createBatch(deps, { accountId, lines, actor: "test" });
    return { ids: { id } };
  },
  "/withdrawals/:id{[0-9]+}/cancel": async (scene) => ({
    ids: { id: await scene.waitingWithdrawal() },
  }),
  "/inbox/payouts/:id{[0-9]+}/approve": waitingApproval,
  "/inbox/payouts/:id{[0-9]+}/reject": waitingApproval,
  "/inbox/proposals/:id{[0-9]+}/approve": async ({ deps }) => ({
    ids: { id: await waitingProposal(deps) },
  }),
  "/inbox/proposals/:id{[0-9]+}/reject": async ({ deps }) => ({
    ids: { id: await waitingProposal(deps) },
  }),
  "/deposits/:id{[0-9]+}/notes": async ({ confirmedDeposit }) => ({
    ids: { id: await confirmedDeposit() },
    form: { note: "x" },
  }),
  "/withdrawals/:id{[0-9]+}/approve": waitingApproval,
  "/withdrawals/:id{[0-9]+}/reject": async (scene) => ({
    ...await waitingApproval(scene),
    form: { reason: "x" },
  }),
  "/withdrawals/:id{[0-9]+}/notes": async (scene) => ({
    ids: { id: await scene.waitingWithdrawal() },
    form: { note: "x" },
  }),
  "/customers/notes": async ({ accountId, world }) => {
    await allocate(world.merchant.api, { user: "alice" });
    return { form: { user: "alice", account: String(accountId), note: "x" } };
  },
  "/withdrawals/:id{[0-9]+}/bump": sentOne,
  "/withdrawals/:id{[0-9]+}/resend": sentOne,
  "/withdrawals/:id{[0-9]+}/revoke": sentOne,
  "/currencies/switch": ({ accountId }) => ({
    form: {
      ...{ account: String(accountId), network: "ETH", currency: "ETH" },
      ...{ what: "deposit", to: "on" },
    },
  }),
  "/wallets/receiving": ({ accountId }) => ({
    form: { account: String(accountId), network: "ETH", address: STRANGER },
    isLook: true,
  }),
  "/wallets/receiving/set": ({ accountId }) => ({
    form: {
      ...{ account: String(accountId), network: "ETH", address: STRANGER },
      last: STRANGER.slice(-6),
    },
  }),
  "/wallets/receiving/cancel": async ({ deps, accountId }) => {
    const order = { accountId, network: "ETH", address: `0x${"ab".repeat(20)}`, actor: "test" };
    await setReceivingWallet(deps, order);
    return { form: { account: String(accountId), network: "ETH" } };
  },
  "/keys/new": ({ accountId }) => ({
    form: { account: String(accountId), label: "x", rate_limit: "60", permissions: "withdraw" },
  }),
  "/keys/:id/revoke": async ({ deps, accountId }) => {
    const key = { accountId, label: "x", permissions: [], ipList: [], rateLimit: 1, actor: "test" };
    return { ids: { id: (await createApiKey(deps, key)).row.keyId } };
  },
  "/webhooks/new": ({ accountId }) => ({
    form: {
      ...{ account: String(accountId), url: "https://shop.example.com/2" },
      events: "deposit.confirmed",
    },
  }),
  "/webhooks/:id{[0-9]+}/test": webhook,
  "/webhooks/:id{[0-9]+}/sample": async (scene) => ({
    ...await webhook(scene),
    form: { type: "deposit.confirmed" },
  }),
  "/webhooks/:id{[0-9]+}/enable": webhook,
  "/webhooks/:id{[0-9]+}/rotate": webhook,
  "/webhooks/:id{[0-9]+}/remove": webhook,
  "/webhooks/deliveries/dead": async ({ deadDelivery, accountId }) => {
    await deadDelivery();
    return { form: { account: String(accountId) } };
  },
  "/webhooks/deliveries/between": async ({ deadDelivery, accountId }) => {
    await deadDelivery();
    return { form: { account: String(accountId), from: "2020-01-01", to: "2099-01-01" } };
  },
  "/webhooks/:id{[0-9]+}/deliveries/:event{[0-9]+}/again": async ({ deadDelivery }) => {
    const { endpointId, id } = await deadDelivery();
    return { ids: { id: endpointId, event: id } };
  },
  "/accounts/:id{[0-9]+}/unfreeze": async ({ frozen, accountId }) => {
    await frozen();
    return { ids: { id: accountId }, form: { network: "ETH", currency: "ETH" } };
  },
  "/accounts/:id{[0-9]+}/settings": ({ accountId }) => ({
    ids: { id: accountId },
    form: { may_push: "on" },
  }),
  "/accounts/:id{[0-9]+}/adjust": ({ accountId }) => ({
    ids: { id: accountId },
    form: { asset: "ETH/ETH", amount: "1", note: "x", once: "x" },
  }),
  // Its steps are over: there are networks, accounts, other logins, and money.
  "/begin/network/try": () => ({ isLook: true }),
  "/begin/network": () => ({ isLook: true }),
  "/begin/merchant": () => ({ isLook: true }),
  "/begin/phrase": () => ({ isLook: true }),
  "/begin/phrase/words": () => ({ isLook: true }),
  "/begin/end/leave-out": () => ({ form: { thing: "backup" } }),
  "/begin/invoice": ({ accountId }) => ({
    form: { account: String(accountId), amount: "1", currency: "ETH" },
  }),
  "/networks": async ({ world }) => {
    const rpc_url = world.anvil.url;
    await world.anvil.rpc("anvil_setChainId", [43114]);
    return { form: { preset: "AVALANCHE", rpc_url } };
  },
  "/networks/new": (scene) => ({ form: node(scene), isLook: true }),
  "/networks/new/confirm": async (scene) => {
    await scene.world.anvil.rpc("anvil_setChainId", [31337]);
    const { hash } = await scene.world.anvil.rpc("eth_getBlockByNumber", ["0x0", false]);
    const coin = { code: "OWN", native_symbol: "OWN", native_decimals: "18", fee_model: "l1" };
    const chain = { chain_id: "31337", genesis: hash, start_block: "latest" };
    return { form: { ...NETWORK, ...node(scene), ...coin, ...chain } };
  },
  "/networks/:code": ({ world }) => ({
    ids: { code: "ETH" },
    form: { ...NETWORK, rpc_urls: world.anvil.url, active: "on" },
  }),
  "/networks/:code/gas-wallet": () => ({ ids: { code: "ETH" } }),
  "/networks/:code/gas-wallet/withdraw": async ({ world }) => {
    await fundGasWallet(world);
    return { ids: { code: "ETH" }, form: { to: STRANGER, amount: "1" } };
  },
  "/networks/:code/collector": async ({ world }) => {
    await fundGasWallet(world);
    return { ids: { code: "ETH" }, form: { deploy: "on" } };
  },
  "/networks/:code/resume": async ({ haltedNetwork }) => {
    await haltedNetwork();
    return { ids: { code: "ETH" } };
  },
  "/networks/:code/currencies/:symbol": () => ({
    ids: { code: "ETH", symbol: "ETH" },
    form: { ...LIMITS, active: "on" },
  }),
  "/networks/:code/add-token": (scene) => ({ ...onToken(scene), isLook: true }),
  "/networks/:code/add-token/confirm": (scene) => ({
    ids: { code: "ETH" },
    form: { ...LIMITS, contract: scene.contract, symbol: "GLD" },
  }),
  "/rules/new": () => ({ form: RULE, isLook: true }),
  "/rules/new/confirm": () => ({ form: RULE }),
  "/rules/:id{[0-9]+}": async (scene) => ({ ...await ownRule(scene), form: RULE }),
  "/rules/:id{[0-9]+}/switch": async (scene) => ({
    ...await ownRule(scene),
    form: { active: "off" },
  }),
  "/rules/:id{[0-9]+}/remove": ownRule,
  "/payees/:id{[0-9]+}/remove": async ({ deps, accountId }) => {
    const address = "0x000000000000000000000000000000000000bEEF";
    const order = { ...PAYEE, accountId, address, usableAfterMs: 0, actor: "test" };
    return { ids: { id: (await addPayee(deps, order)).row.id } };
  },
  "/rates/new": () => ({ form: { base: "ETH", quote: "USD", kind: "manual", value: "3000" } }),
  "/rates/:id/remove": async ({ deps }) => {
    const asked = { base: "ETH", quote: "USD", kind: "manual", value: "3000" } as const;
    return { ids: { id: (await addSource(deps, { ...asked, actor: "test" })).id } };
  },
  "/settings": () => ({}),
  "/users": () => ({ form: { email: "new@example.com", role: "operator" } }),
  "/users/:id{[0-9]+}/reset": async ({ newUser }) => ({ ids: { id: (await newUser()).id } }),
  "/users/:id{[0-9]+}/disable": () => ({ ids: { id: users } }),
  "/users/:id{[0-9]+}/enable": () => ({ ids: { id: users } }),
  "/users/:id{[0-9]+}/role": () => ({ ids: { id: users }, form: { [`role_${users}`]: "auditor" } }),
  "/recipients/allow": async ({ failingRecipient, accountId }) => ({
    form: { account: String(accountId), network: "ETH", address: await failingRecipient() },
  }),
  "/alerts/:id/resolve": async ({ alert }) => ({ ids: { id: await alert() } }),
  "/alerts/sweeps/:id/retry": async ({ parkedSweep }) => ({ ids: { id: await parkedSweep() } }),
  "/profile/password": async ({ deps, newUser }) => ({
    token: await makeSession(deps, await newUser()),
    form: { current: PASSWORD, next: `${PASSWORD}!`, again: `${PASSWORD}!` },
  }),
  "/profile/sessions/:id/end": async ({ deps, newUser }) => {
    const user = await newUser();
    const [token] = [await makeSession(deps, user), await makeSession(deps, user)];
    const last = Math.max(
      ...(await deps.db.list(Sessions, { userId: user.id })).map((it) => it.id),
    );
    return { token, ids: { id: last } };
  },
  "/profile/second-factor/off": async ({ deps, withFactor }) => ({
    token: await makeSession(deps, (await withFactor()).user),
  }),
  "/profile/recovery-codes": async ({ deps, withFactor }) => ({
    token: await makeSession(deps, (await withFactor()).user),
  }),
  "/profile/second-factor": async ({ deps, newUser }) => {
    const user = await newUser();
    const { sealed, secret } = await offerSecondFactor(deps, user);
    return { token: await makeSession(deps, user), form: { sealed, code: codeNow(secret) } };
  },
  "/profile/passkeys/new": async ({ deps, world, newUser }) => {
    const user = await newUser();
    const token = await makeSession(deps, user);
    const { answer } = await newPasskey(deps, { user, token, url: world.url });
    return { token, form: { name: "Phone", passkey: answer } };
  },
  "/profile/passkeys/remove": async ({ deps, world, newUser }) => {
    const user = await newUser();
    const token = await makeSession(deps, user);
    const { answer, id, session, site } = await newPasskey(deps, { user, token, url: world.url });
    await addPasskey(deps, { user, session, site, answer, name: "Phone", actor: "test" });
    return { token, form: { id } };
  },
  "/prove": async ({ deps, newUser }) => ({
    token: await makeSession(deps, await newUser()),
    form: { secret: PASSWORD },
  }),
  "/sign-out": async ({ deps, newUser }) => ({ token: await makeSession(deps, await newUser()) }),
  "/sign-in": async ({ newUser }) => ({
    token: "x".repeat(43),
    form: { email: (await newUser()).email, password: PASSWORD },
  }),
  "/sign-in/code": async ({ world, withFactor }) => {
    const { user, secret } = await withFactor();
    const visitor = "y".repeat(43);
    const form = { csrf: csrfOf(visitor), email: user.email, password: PASSWORD };
    const sent = { path: "/sign-in", token: visitor, form };
    const { headers } = await dashboardFetch(world.url, sent);
    const token = /cpg=([\w-]{43})/.exec(headers.get("set-cookie")!)![1]!;
    return { token, form: { code: codeNow(secret, 1) } };
  },
  "/set-up/:token": async ({ deps, newUser }) => {
    const user = await newUser();
    const link = await userLink(deps, { user, actor: "test" });
    const form = { password: PASSWORD, again: PASSWORD };
    return { ids: { token: link }, token: "z".repeat(43), form };
  },
};

export async function makeScene(world: World): Promise<Scene> {
  const { deps } = world;
  const { address } = await deploy(world.anvil, { name: "Token", args: ["GLD", 6] });
  const newUser = async () => {
    const email = `user-${crypto.randomUUID()}@example.com`;
    const order = { email, role: "operator", accountId: null, actor: "test" } as const;
    const user = await makeUser(deps, order);
    users = user.id;
    return user;
  };
  const withFactor = async () => {
    const user = await newUser();
    const { sealed, secret } = await offerSecondFactor(deps, user);
    const code = codeNow(secret);
    await confirmSecondFactor(deps, { user, sealed, code, actor: "test" });
    return { user, secret };
  };
  return { ...makeStage(world), world, contract: address, newUser, withFactor };
}
