import assert from "node:assert/strict";
import {
  keyCreate,
  newKeySecret,
  secretStart,
} from "../../../src/actions/access/manage_api_keys.ts";
import { CHANGES } from "../../../src/actions/proposals/changes.ts";
import { apiSecretContext } from "../../../src/store/tables/setup.ts";
import { proposed } from "../../support/people/proposals.ts";
import { setApiKey } from "../../../src/actions/access/set_api_key.ts";
import { setUserDisabled } from "../../../src/actions/access/change_user.ts";
import { setSettings } from "../../../src/actions/access/require_second_factor.ts";
import { setReceivingWallet } from "../../../src/actions/accounts/receiving_wallet.ts";
import { setAccount } from "../../../src/actions/accounts/set_account.ts";
import { GUARDED, GUARDED_TABLES } from "../../../src/actions/control/guarded.ts";
import type { Deps } from "../../../src/actions/deps.ts";
import { addPayee } from "../../../src/actions/policies/payees.ts";
import { addSource } from "../../../src/actions/rates/manage.ts";
import { approveProposal } from "../../../src/actions/proposals/decide.ts";
import { COMMANDS } from "../../support/programs/commands.ts";
import { ROUTES } from "../../../src/dashboard/pages.ts";
import { present } from "../../../src/base/assert.ts";
import { Proposals } from "../../../src/store/tables/control/proposals.ts";
import { runIn } from "../../cli/world_host.ts";
import { readSources } from "../../tidy/source.ts";
import { type Dual, makeDual, makePerson } from "./_dual.ts";
import { makePolicy, OUTSIDE, type Ruled } from "./_ruled.ts";

const OTHER = `0x${"77".repeat(20)}`;
const OWN = ["--account", "1"];
const NETWORK = ["--network", "ETH"];

interface Way {
  before?(ruled: Ruled): Promise<void>;
  words(dual: Dual): readonly (string | number)[];
}

const rule = {
  before: async (ruled: Ruled) => {
    await makePolicy(ruled, { condition: "always", accountId: ruled.accountId });
  },
};
const person = (role: "viewer" | "approver") => async (ruled: Ruled) => {
  await makePerson(ruled, role, "eve");
};
const EVE = "eve@example.com";

/** How each command of the table is run, and what has to be there before dual control is on. */
const WAYS: Readonly<Record<string, Way>> = {
  "policy set: off": { ...rule, words: () => [1, "--active", "off"] },
  "policy remove": { ...rule, words: () => [1] },
  "policy set: a higher limit": {
    before: async (ruled) => {
      await makePolicy(ruled, { condition: "max_day", cap: "5", accountId: ruled.accountId });
    },
    words: () => [1, "--limit", "6"],
  },
  "policy accept": {
    before: async (ruled) => {
      await rule.before(ruled);
      await ruled.deps.db.execute([{ sql: "DELETE FROM policies" }]);
    },
    words: () => [],
  },
  "payee add": { words: () => [...OWN, ...NETWORK, "--address", OUTSIDE, "--label", "x"] },
  "account receiving-wallet": {
    words: () => [...OWN, ...NETWORK, "--address", OUTSIDE],
  },
  "account receiving-wallet: now": {
    before: async ({ deps, accountId }) => {
      await setReceivingWallet(deps, { accountId, network: "ETH", address: OTHER, actor: "x" });
    },
    words: () => [...OWN, ...NETWORK, "--address", OUTSIDE, "--now"],
  },
  "account set: dual control off": { words: () => [1, "--dual-control", "off"] },
  "account set: a shorter cooling": { words: () => [1, "--cooling", "1h"] },
  "account set: no second factor": {
    before: async ({ deps, accountId: id }) => {
      await setAccount(deps, { id, change: { requiresSecondFactor: true }, actor: "x" });
    },
    words: () => [1, "--require-second-factor", "off"],
  },
  "key create": { words: () => [...OWN, "--label", "x", "--permissions", "withdraw"] },
  "key create: role": {
    words: () => ["--role", "operator", "--label", "x", "--any-ip", "on"],
  },
  "key set": {
    before: async ({ deps, keyId }) => {
      await setApiKey(deps, { keyId, change: { permissions: ["read_balance"] }, actor: "x" });
    },
    words: ({ keyId }) => [keyId, "--permissions", "withdraw"],
  },
  "user create": { words: () => ["--email", EVE, "--role", "operator"] },
  "user reset": { before: person("viewer"), words: () => [EVE] },
  "user enable": {
    before: async (ruled) => {
      const { user } = await makePerson(ruled, "approver", "eve");
      await setUserDisabled(ruled.deps, { id: user!.id, isDisabled: true, actor: "x" });
    },
    words: () => [EVE],
  },
  "user set": { before: person("approver"), words: () => [EVE, "--role", "operator"] },
  "setting set: dual control off": { words: () => ["--dual-control", "off"] },
  "setting set: no second factor": {
    before: async ({ deps }) => {
      await setSettings(deps, { change: { requiresSecondFactor: true }, actor: "x" });
    },
    words: () => ["--require-second-factor", "off"],
  },
  "rate source add": {
    words: () => [
      ...["--base", "ETH", "--quote", "USD", "--kind", "manual", "--value", "1"],
    ],
  },
  "rate source remove": {
    before: async ({ deps }) => {
      const source = { base: "ETH", quote: "USD", kind: "manual", value: "3000" } as const;
      await addSource(deps, { ...source, actor: "x" });
    },
    words: () => [1],
  },
  "integrity accept": {
    before: async (ruled) => {
      await person("viewer")(ruled);
      const sql = "UPDATE users SET role = 'merchant' WHERE email = 'eve@example.com'";
      await ruled.deps.db.execute([{ sql }]);
    },
    words: () => ["--table", "users", "--row", 1, "--yes"],
  },
};

const TABLES = GUARDED_TABLES.filter((table) => table.name !== Proposals.name);

async function guardedRows({ db }: Deps): Promise<string> {
  const rows = await Promise.all(
    TABLES.map(({ name }) => db.query(`SELECT * FROM ${name} ORDER BY 1, 2`, [])),
  );
  return JSON.stringify(rows);
}

function commandOf(way: string): string {
  return way.replace(/:.*/, "");
}

const proposing = Object.values(GUARDED).flatMap(({ proposes = {} }) => Object.entries(proposes));

for (const [way, kind] of proposing.filter(([way]) => !way.startsWith("POST "))) {
  Deno.test(`under dual control, "${way}" becomes a proposal, and is done once approved`, async () => {
    const { before, words } = present(WAYS[way], `a way to run "${way}"`);
    await using dual = await makeDual(before ? { before } : {});
    const seen = await guardedRows(dual.deps);
    const name = commandOf(way).split(" ");
    const args = [...name, ...words(dual).map(String), "--json"];
    const { code, out, err } = await runIn(dual, args);
    assert.equal(code, 0, out + err);
    const answer = JSON.parse(out);
    assert.equal(answer.kind, kind);
    assert.equal(await guardedRows(dual.deps), seen, "nothing has changed");
    await approveProposal(dual.deps, { id: answer.proposal_id, decider: dual.bob });
    assert.notEqual(await guardedRows(dual.deps), seen, "now it has");
  });
}

Deno.test("the command that asks for a key shows the start of its secret, the one that approves it the end", async () => {
  await using dual = await makeDual();
  const { deps, accountId, ann } = dual;
  const asked = await runIn(dual, [
    ...["key", "create", ...OWN, "--label", "x", "--permissions", "withdraw", "--json"],
  ]);
  const { secret, secret_start: start, proposal_id: id, key_id } = JSON.parse(asked.out);
  assert.equal(secret, undefined);
  const { keyId, secretSealed } = await deps.db.get(Proposals, [id]);
  const whole = await deps.vault.open(secretSealed ?? "", apiSecretContext(keyId));
  assert.ok(key_id === keyId && start.length === 22 && whole.startsWith(start));
  const terms = { label: "y", permissions: ["withdraw"], ipList: [], rateLimit: 5 } as const;
  const { secret: other, ...made } = await newKeySecret(deps);
  const second = await proposed(deps, keyCreate, {
    ...{ by: ann, made },
    wanted: { ...terms, accountId, isOwn: false },
  });
  const { out } = await runIn(dual, ["proposal", "approve", String(second), "--json"]);
  const { secret_end: end, key_id: approved } = JSON.parse(out);
  assert.deepEqual([approved, secretStart(other) + end], [made.keyId, other]);
});

Deno.test("the command that lists a payee warns of a look-alike, also as a proposal", async () => {
  const before = async ({ deps, accountId }: Ruled) => {
    const known = { accountId, network: "ETH", address: OUTSIDE, label: "Known" };
    await addPayee(deps, { ...known, usableAfterMs: 0, actor: "test" });
  };
  await using dual = await makeDual({ before });
  const twin = `${OUTSIDE.slice(0, 6)}${"7".repeat(32)}${OUTSIDE.slice(-4)}`.toLowerCase();
  const words = ["payee", "add", ...OWN, ...NETWORK, "--address", twin, "--label", "x", "--json"];
  const { proposal_id, warning } = JSON.parse((await runIn(dual, words)).out);
  assert.equal(proposal_id, 1);
  assert.match(warning, new RegExp(`^It looks like ${OUTSIDE}, which is known`));
});

Deno.test("every kind of change has a way to it, and each way is a command or a form", () => {
  const ways = proposing.map(([way]) => way);
  const kinds = new Set(proposing.map(([, kind]) => kind));
  assert.deepEqual([...kinds].toSorted(), CHANGES.map(({ kind }) => kind).toSorted());
  const commands = COMMANDS.map(({ words }) => words.join(" "));
  const forms = ROUTES.filter(({ kind }) => kind === "act").map(({ path }) => `POST ${path}`);
  const unknown = ways.filter((way) => !commands.includes(commandOf(way)) && !forms.includes(way));
  assert.deepEqual(unknown, []);
  const run = ways.filter((way) => !way.startsWith("POST "));
  assert.deepEqual(Object.keys(WAYS).toSorted(), run.toSorted());
});

Deno.test("only the files of the table change what dual control protects", async () => {
  const root = new URL("../../../", import.meta.url);
  const names = GUARDED_TABLES.map(({ name }) =>
    name.replace(/(?:^|_)(\w)/g, (_, c) => c.toUpperCase())
  );
  const writes = new RegExp(
    String.raw`\.(insert|insertKeyed|update|remove|accept)\(\s*(${
      names.join("|")
    }|(?:\w+\.)?table)\b`,
  );
  const writers = (await readSources(root, ["src/"]))
    .filter(({ path, text }) => !path.startsWith("src/store/") && writes.test(text))
    .map(({ path }) => path.replace("src/actions/", ""));
  assert.deepEqual(writers.toSorted(), Object.keys(GUARDED).toSorted());
});
