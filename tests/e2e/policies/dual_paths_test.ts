import assert from "node:assert/strict";
import { setUserDisabled } from "../../../src/access/change_user.ts";
import { keyCreate, newKeySecret, secretStart } from "../../../src/access/manage_api_keys.ts";
import { setSettings } from "../../../src/access/require_second_factor.ts";
import { setApiKey } from "../../../src/access/set_api_key.ts";
import { apiSecretContext } from "../../../src/access/tables/keys.ts";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { InvariantError, present } from "../../../src/base/assert.ts";
import { guarded } from "../../../src/control/guarded.ts";
import { nameOf } from "../../../src/operations/operation.ts";
import { addPayee, payeeAdd } from "../../../src/payees/payees.ts";
import { Payees } from "../../../src/payees/table.ts";
import { CHANGES } from "../../../src/proposals/changes.ts";
import { approveProposal } from "../../../src/proposals/decide.ts";
import { doOrPropose } from "../../../src/proposals/propose.ts";
import { Proposals } from "../../../src/proposals/table.ts";
import { addSource } from "../../../src/rates/manage.ts";
import type { View } from "../../../src/store/engine/workspace.ts";
import { exampleOf } from "../../cli/line_of.ts";
import { runIn } from "../../cli/world_host.ts";
import { type Dual, makeDual, makePerson } from "./_dual.ts";
import { makePolicy, makeRuled, OUTSIDE, type Ruled } from "./_ruled.ts";
import { guardedRows, proposed } from "../../support/people/proposals.ts";
import { COMMANDS } from "../../support/programs/commands.ts";
import { noteAudit } from "../../support/stage.ts";

const OTHER = `0x${"77".repeat(20)}`;
const OWN = ["--account", "1"];
const NETWORK = ["--network", "ETH"];

interface Way {
  /** The proposal that it becomes. */
  readonly kind: string;
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

/**
 * How each command is run, and what has to be there before dual control is on. A change that none of
 * them makes is that of the command with its name, as its example says.
 */
const NAMED: Readonly<Record<string, Way>> = {
  "policy set: off": { kind: "policy.switch_off", ...rule, words: () => [1, "--active", "off"] },
  "policy remove": { kind: "policy.remove", ...rule, words: () => [1] },
  "policy set: a higher limit": {
    kind: "policy.edit",
    before: async (ruled) => {
      await makePolicy(ruled, { condition: "max_day", cap: "5", accountId: ruled.accountId });
    },
    words: () => [1, "--limit", "6"],
  },
  "policy accept": {
    kind: "policy.accept",
    before: async (ruled) => {
      await rule.before(ruled);
      await ruled.deps.db.execute([{ sql: "DELETE FROM policies" }]);
    },
    words: () => [],
  },
  "account receiving-wallet": {
    kind: "receiving_wallet.set",
    words: () => [...OWN, ...NETWORK, "--address", OUTSIDE],
  },
  "account receiving-wallet: now": {
    kind: "receiving_wallet.set",
    before: async ({ deps, accountId }) => {
      await setReceivingWallet(deps, { accountId, network: "ETH", address: OTHER, actor: "x" });
    },
    words: () => [...OWN, ...NETWORK, "--address", OUTSIDE, "--now"],
  },
  "account set: dual control off": {
    kind: "account.set",
    words: () => [1, "--dual-control", "off"],
  },
  "account set: a shorter cooling": { kind: "account.set", words: () => [1, "--cooling", "1h"] },
  "account set: no second factor": {
    kind: "account.set",
    before: async ({ deps, accountId: id }) => {
      await setAccount(deps, { id, change: { requiresSecondFactor: true }, actor: "x" });
    },
    words: () => [1, "--require-second-factor", "off"],
  },
  "key create": {
    kind: "key.create",
    words: () => [...OWN, "--label", "x", "--permissions", "withdraw"],
  },
  "key create: role": {
    kind: "role_key.create",
    words: () => ["--role", "operator", "--label", "x", "--any-ip", "on"],
  },
  "key set": {
    kind: "key.set",
    before: async ({ deps, keyId }) => {
      await setApiKey(deps, { keyId, change: { permissions: ["read_balance"] }, actor: "x" });
    },
    words: ({ keyId }) => [keyId, "--permissions", "withdraw"],
  },
  "user reset": { kind: "user.reset", before: person("viewer"), words: () => [EVE] },
  "user enable": {
    kind: "user.enable",
    before: async (ruled) => {
      const { user } = await makePerson(ruled, "approver", "eve");
      await setUserDisabled(ruled.deps, { id: user!.id, isDisabled: true, actor: "x" });
    },
    words: () => [EVE],
  },
  "user set": {
    kind: "user.set_role",
    before: person("approver"),
    words: () => [EVE, "--role", "operator"],
  },
  "setting set: dual control off": { kind: "setting.set", words: () => ["--dual-control", "off"] },
  "setting set: no second factor": {
    kind: "setting.set",
    before: async ({ deps }) => {
      await setSettings(deps, { change: { requiresSecondFactor: true }, actor: "x" });
    },
    words: () => ["--require-second-factor", "off"],
  },
  "rate source remove": {
    kind: "rate_source.remove",
    before: async ({ deps }) => {
      const source = { base: "ETH", quote: "USD", kind: "manual", value: "3000" } as const;
      await addSource(deps, { ...source, actor: "x" });
    },
    words: () => [1],
  },
  "integrity accept": {
    kind: "row.accept",
    before: async (ruled) => {
      await person("viewer")(ruled);
      const sql = "UPDATE users SET role = 'merchant' WHERE email = 'eve@example.com'";
      await ruled.deps.db.execute([{ sql }]);
    },
    words: () => ["--table", "users", "--row", 1, "--yes"],
  },
};

/** People do these to themselves, in forms: `dual_forms_test.ts`. */
const NO_COMMAND = ["second_factor.off"];
/** It changes no row, and takes a chain: `withdraw_gas_test.ts`. */
const ON_CHAIN = ["gas_wallet.withdraw"];

const WAYS: Readonly<Record<string, Way>> = { ...NAMED, ...Object.fromEntries(exampleWays()) };

function exampleWays(): [string, Way][] {
  const named = [...Object.values(NAMED).map(({ kind }) => kind), ...NO_COMMAND, ...ON_CHAIN];
  return CHANGES.filter(({ kind }) => !named.includes(kind)).map(({ kind }) => {
    const name = kind.replaceAll(/[._]/g, " ");
    const command = COMMANDS.find((one) => nameOf(one) === name);
    const found = present(command, `a way to make the change "${kind}"`);
    return [name, { kind, words: () => exampleOf(found).slice(found.words.length) }];
  });
}

function commandOf(way: string): string {
  return way.replace(/:.*/, "");
}

for (const [way, { kind, before, words }] of Object.entries(WAYS)) {
  Deno.test(`under dual control, "${way}" becomes a proposal, and is done once approved`, async () => {
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

Deno.test("a change that isn't in the list is neither made nor proposed", async () => {
  await using dual = await makeDual();
  const { deps } = dual;
  let runs = 0;
  const run = () => Promise.resolve(++runs);
  const change = guarded({ kind: "payee.rename", ability: null, sentence: () => "", run });
  const order = { wanted: {}, actor: "test" };
  await assert.rejects(doOrPropose(deps, change, order), InvariantError);
  await assert.rejects(doOrPropose(deps, { ...payeeAdd, run }, { ...order, wanted: NOBODY }));
  assert.equal(runs, 0);
});

Deno.test("the gateway's writer refuses a row of dual control's tables that no guard has seen", async () => {
  await using ruled = await makeRuled();
  const { deps: { db }, accountId } = ruled;
  const payee = { ...NOBODY, accountId, usableAtMs: 0, createdAtMs: 0, removedAtMs: null };
  const { usableAfterMs: _, ...row } = payee;
  const add = (to: (view: View) => View) =>
    db.write({
      reads: [],
      decide: (view) => {
        noteAudit(view);
        return to(view).insert(Payees, row);
      },
    });
  await assert.rejects(add((view) => view), /A change of payees that no guard/);
  assert.deepEqual(await db.rows(Payees, ""), []);
  await add((view) => view.atOnce("a test"));
  assert.equal((await db.rows(Payees, "")).length, 1);
});

const NOBODY = {
  ...{ accountId: 1, network: "ETH", address: OUTSIDE, label: "x", usableAfterMs: 0 },
};
