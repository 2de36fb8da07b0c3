import assert from "node:assert/strict";
import { setUserDisabled } from "../../src/access/change_user.ts";
import { createApiKey } from "../../src/access/manage_api_keys.ts";
import { createUser } from "../../src/access/manage_users.ts";
import { Accounts } from "../../src/accounts/tables/accounts.ts";
import { isGenuine } from "../../src/books/tampered.ts";
import { makePaymentLink } from "../../src/invoices/payment_links.ts";
import { addNetwork } from "../../src/networks/add.ts";
import { setNetwork } from "../../src/networks/set.ts";
import { addReceiver } from "../../src/notifications/manage_receivers.ts";
import { nameOf } from "../../src/operations/operation.ts";
import { addPayee } from "../../src/payees/payees.ts";
import { addPolicy, type NewPolicy, removePolicy } from "../../src/policies/manage.ts";
import { addSource } from "../../src/rates/manage.ts";
import { numberFrom } from "../../src/store/upkeep/restored_ids.ts";
import { deriveFreshAddress } from "../../src/wallets/addresses.ts";
import { gasWallet } from "../../src/wallets/gas_wallet.ts";
import { makeCli, type TestCli } from "./cli_host.ts";
import { exampleOf } from "./line_of.ts";
import { runIn } from "./world_host.ts";
import { makeInvoice, partlyPaidInvoice } from "../support/checkout/invoices.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { deploy } from "../support/nodes/contracts.ts";
import { spendOwn } from "../support/nodes/own_wallet.ts";
import { ETHER, setBalance, STRANGER } from "../support/payers.ts";
import { fundGasWallet } from "../support/sweeping.ts";
import { startPayingWorld } from "../support/payouts.ts";
import { waitingProposal } from "../support/people/proposals.ts";
import { COMMANDS } from "../support/programs/commands.ts";
import {
  assertBothSides,
  makeStage,
  type Stage,
  watchBooks,
  writesNothing,
} from "../support/stage.ts";
import type { World } from "../support/world.ts";

interface Scene extends Stage {
  readonly world: World;
  readonly contract: string;
}

type Words = readonly (string | number)[];

const ASSET = ["--network", "ETH", "--currency", "ETH"];
const OWN = ["--account", "1"];
const SHOP = "https://shop.example.com/3";
const waitingOne = async (scene: Scene) => [await scene.waitingWithdrawal()];
const sentOne = async (scene: Scene) => [await scene.sentWithdrawal()];

function makePolicy({ world: { deps } }: Scene, rule: Pick<NewPolicy, "condition" | "outcome">) {
  return addPolicy(deps, {
    ...{ label: "x", accountId: 1, keyId: null, network: null, currency: "ETH", each: null },
    ...{ cap: "1000000", approvals: 1, expiresMs: 86_400_000, setBy: "operator", actor: "test" },
    ...rule,
  });
}

const policy = async (scene: Scene): Promise<Words> => [
  (await makePolicy(scene, { condition: "max_payment", outcome: "refuse" })).id,
];

/** The rule that asked for it is gone again, or everything later would wait too. */
async function waitingApproval(scene: Scene): Promise<Words> {
  const { id } = await makePolicy(scene, { condition: "always", outcome: "approve" });
  const withdrawalId = await scene.waitingWithdrawal();
  await removePolicy(scene.world.deps, { id, actor: "test" });
  return [withdrawalId];
}

const openInvoice = async ({ deps, accountId }: Scene) => [
  (await makeInvoice(deps, { accountId })).id,
];
const webhook = async (scene: Scene) => [await scene.webhook()];
async function apiKey({ deps, accountId }: Scene): Promise<Words> {
  const key = { accountId, label: "x", permissions: [], ipList: [], rateLimit: 1, actor: "test" };
  return [(await createApiKey(deps, key)).row.keyId];
}
const notification = async ({ deps }: Scene) => {
  const asked = { kind: "webhook", address: SHOP, accountId: null, topics: ["alerts"] } as const;
  return [(await addReceiver(deps, { ...asked, actor: "test" })).row.id];
};
const rateSource = async ({ deps }: Scene) => {
  const asked = { base: "ETH", quote: "USD", kind: "manual", value: "3000" } as const;
  return [(await addSource(deps, { ...asked, actor: "test" })).id];
};
const user = async ({ deps }: Scene) => {
  const email = `${crypto.randomUUID()}@example.com`;
  const order = { email, role: "operator", accountId: null, actor: "test" } as const;
  return [(await createUser(deps, order, null)).id];
};

const proposal = async ({ deps }: Scene): Promise<Words> => [await waitingProposal(deps)];

/** Writes like an attacker who has only the database. */
const rename = ({ deps: { db } }: World, name: string) =>
  db.execute([{ sql: "UPDATE accounts SET name = ? WHERE id = 1", args: [name] }]);

/** Arguments where the command's own example needs what the world lacks, or is in the others' way. */
const DOINGS: Readonly<Record<string, (scene: Scene) => Words | Promise<Words>>> = {
  "network add": ({ world }) => [
    ...["--code", "OWN", "--family", "evm", "--min-confirmations", 3],
    ...["--rpc-url", world.anvil.url],
  ],
  "network set": () => ["ETH", "--min-confirmations", 4],
  "network remove": async ({ world }) => {
    const network = (await world.deps.catalog.current()).network("ETH")!;
    const unused = { ...network, code: "UNUSED", currencies: [], tipAtMs: null };
    await addNetwork(world.deps, { network: unused, actor: "test" });
    return ["UNUSED"];
  },
  "network resume": async ({ haltedNetwork }) => {
    await haltedNetwork();
    return ["ETH"];
  },
  "currency add": ({ contract }) => [
    ...["--network", "ETH", "--symbol", "GLD", "--name", "Gold", "--decimals", 6],
    ...["--contract", contract],
  ],
  "currency set": () => ["--network", "ETH", "--symbol", "ETH", "--sweep-min", "1000"],
  "account receiving-wallet": () => [...OWN, "--network", "ETH", "--address", STRANGER],
  "account unfreeze": async ({ frozen }) => {
    await frozen();
    return [...OWN, ...ASSET];
  },
  "key set": async (scene) => [...await apiKey(scene), "--rate-limit", 5],
  "key revoke": apiKey,
  "webhook remove": webhook,
  "webhook rotate": webhook,
  "webhook enable": webhook,
  "webhook test": webhook,
  "webhook trigger": async (scene) => [await scene.webhook(), "--type", "deposit.confirmed"],
  "webhook attempts": async ({ deadDelivery }) => [(await deadDelivery()).eventId],
  "webhook redeliver": async ({ deadDelivery }) => [(await deadDelivery()).eventId],
  "invoice create": () => [...OWN, "--amount", "0.01", "--currency", "ETH"],
  "invoice show": openInvoice,
  "invoice cancel": openInvoice,
  "invoice extend": async (scene) => [...await openInvoice(scene), "--expires-in", 3600],
  "invoice accept": async ({ world }) => [
    (await partlyPaidInvoice(world)).id,
    ...["--reason", "x"],
  ],
  "payment-link create": () => [...OWN, "--title", "Tea", "--currency", "ETH"],
  "payment-link deactivate": async ({ deps, accountId }) => {
    const none = { amount: null, min: null, max: null, redirectUrl: null };
    const wish = { title: "Tea", currency: "ETH", ...none };
    return [(await makePaymentLink(deps, { accountId, actor: "test", wish })).id];
  },
  "withdrawal show": waitingOne,
  "withdrawal cancel": waitingOne,
  "withdrawal approve": waitingApproval,
  "withdrawal reject": async (scene) => [...await waitingApproval(scene), "--reason", "x"],
  "policy set": async (scene) => [...await policy(scene), "--active", "off"],
  "policy remove": policy,
  "policy accept": async (scene) => {
    await policy(scene);
    await scene.world.deps.db.execute([{ sql: "DELETE FROM policies" }]);
    return [];
  },
  "payee remove": async ({ world }) => {
    const { row } = await addPayee(world.deps, {
      ...{ accountId: 1, network: "ETH", address: `0x${"77".repeat(20)}` },
      ...{ label: "x", usableAfterMs: 0, actor: "test" },
    });
    return [row.id];
  },
  "withdrawal bump": sentOne,
  "withdrawal resend": sentOne,
  "withdrawal revoke": sentOne,
  "withdrawal settle": async ({ unpaidWithdrawal }) => [await unpaidWithdrawal(), "--as", "paid"],
  "recipient allow": async ({ failingRecipient }) => [
    ...["--network", "ETH", "--address", await failingRecipient()],
  ],
  "sweep retry": async ({ parkedSweep }) => [await parkedSweep()],
  "wallet resume": async ({ haltedWallet, hotWallet }) => {
    await haltedWallet();
    // No worker follows the chain here.
    return ["--network", "ETH", "--address", hotWallet, "--anyway"];
  },
  "wallet adopt": async ({ world, hotWallet }) => {
    const { address: from } = await gasWallet(world.deps, { network: "ETH", actor: "test" });
    await world.anvil.mine(1);
    await setBalance(world.anvil, from, ETHER);
    const hash = await spendOwn(world, { from, to: hotWallet, amountRaw: 1n });
    await world.anvil.mine(5);
    await world.round();
    return [hash, "--network", "ETH"];
  },
  "wallet withdraw-gas": async ({ world }) => {
    await fundGasWallet(world);
    return ["ETH", "--to", STRANGER, "--amount", "all", "--yes"];
  },
  "rate source remove": rateSource,
  "notify add": () => ["--kind", "webhook", "--to", SHOP],
  "notify test": notification,
  "notify remove": notification,
  "alert resolve": async ({ alert }) => [await alert()],
  "user reset": user,
  "user set": async (scene) => [...await user(scene), "--role", "auditor"],
  "proposal approve": proposal,
  "proposal reject": async (scene) => [...await proposal(scene), "--reason", "x"],
  "user disable": user,
  "user enable": async (scene) => {
    const [id] = await user(scene);
    await setUserDisabled(scene.deps, { id: id!, isDisabled: true, actor: "test" });
    return [id!];
  },
  "deposit show": async ({ confirmedDeposit }) => [await confirmedDeposit()],
  "deposit credit": async ({ surplus }) => [
    ...ASSET,
    ...["--address", await surplus(), "--amount", "1", "--note", "x"],
  ],
  "deposit reverse": async ({ confirmedDeposit }) => [await confirmedDeposit(), "--note", "x"],
  "deposit vouch": async ({ unprovenDeposit }) => [
    await unprovenDeposit(),
    "--reason",
    "x",
    "--apply",
  ],
  "deposit recover": async ({ world, accountId }) => {
    // A key was given away, and then older books were restored.
    const network = (await world.deps.catalog.current()).network("ETH")!;
    const plan = { network, accountId, purpose: "deposit" } as const;
    const { address } = await deriveFreshAddress(world.deps, plan);
    await numberFrom(world.deps.db, { first: 1_000, poolFromMs: 0 });
    await setNetwork(world.deps, { code: "ETH", change: { minConfirmations: 3 }, actor: "test" });
    await setBalance(world.anvil, address, ETHER);
    await world.anvil.mine(1);
    return [address, "--network", "ETH", "--apply"];
  },
  rescan: async ({ confirmedDeposit }) => {
    await confirmedDeposit();
    return ["--network", "ETH", "--from-block", 1];
  },
  "integrity accept": async ({ world }) => {
    await rename(world, "Somebody");
    return ["--table", "accounts", "--row", 1, "--yes"];
  },
  "integrity resume": async ({ world }) => {
    await rename(world, "Thief");
    const row = (await world.deps.db.find(Accounts, [1]))!;
    await isGenuine(world.deps, Accounts, row);
    await rename(world, "Somebody");
    return OWN;
  },
  "seed show": () => ["--yes"],
};

/** They change nothing, though they don't say so by what they take. */
const LOOKS = ["audit verify", "integrity check", "completions", "help"];

const WITH_BAD_NEWS = ["notify test", "webhook test", "webhook trigger", "status"];

/** Reasons why these commands aren't run here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  serve: "it is what all of this runs in",
  doctor: "it opens the database by itself, and its own test looks for writes",
  sign: "it opens no database",
  demo: "a chain and a gateway of its own, made by the actions that are walked here",
  "install-service": "it changes the machine, and opens no database",
  migrate: "the schema, before there is anything to be told",
  "network collector": "it needs a chain with EIP-7702, and its own test reads what it logs",
  "network energy": "it reads a network of TRON, and its own test does that",
  "wallet revoke":
    "it takes a transaction that no block takes, and its own test reads what it logs",
  reconcile: "what it finds the gateway tells by itself, as alerts",
  backup: "it writes another file",
  drill: "it writes another file",
  restore: "into an empty database",
  move: "into an empty database on a server",
  "seed import": "into an empty database: its test is below",
};

Deno.test("every command that changes anything writes to the audit log, and read-only ones don't", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { address: contract } = await deploy(anvil, { name: "Token", args: ["GLD", 6] });
  const scene: Scene = { ...makeStage(world), world, contract };
  for (const command of COMMANDS) {
    const name = nameOf(command);
    if (name in ELSEWHERE) continue;
    const args = await DOINGS[name]?.(scene);
    const line = args ? [...command.words, ...args.map(String)] : exampleOf(command);
    const run = async () => {
      const { code, out, err } = await runIn(world, line);
      // What they report is no success: a webhook that refuses an event, no running server.
      if (!WITH_BAD_NEWS.includes(name)) assert.equal(code, 0, `${line.join(" ")}: ${out}${err}`);
    };
    if (command.reads !== undefined || LOOKS.includes(name)) {
      assert.ok(await writesNothing(world.deps, run), `${name} writes`);
      continue;
    }
    const seen = await watchBooks(world.deps);
    await run();
    const { rows } = await seen();
    assertBothSides(rows);
    assert.ok(rows.some(({ actor }) => actor === "cli"), `${name}: ${JSON.stringify(rows)}`);
  }
  const named = [...Object.keys(DOINGS), ...LOOKS, ...WITH_BAD_NEWS, ...Object.keys(ELSEWHERE)];
  assert.deepEqual(named.filter((name) => !COMMANDS.some((one) => nameOf(one) === name)), []);
});

Deno.test("creating, importing or showing a recovery phrase is in the audit log", async () => {
  await using cli = await makeCli();
  await using other = await makeCli();
  const phrase = (await other.json("seed", "show", "--yes")).recovery_phrase;
  const { code, err } = await cli.run(["seed", "import", "--yes"], { input: [phrase] });
  assert.equal(code, 0, err);
  const actionsOf = async ({ json }: TestCli) =>
    (await json("audit", "list")).map((row: { action: string }) => row.action);
  assert.deepEqual(await actionsOf(cli), ["seed.imported", "seed.created"]);
  assert.deepEqual(await actionsOf(other), ["seed.shown", "seed.created"]);
});
