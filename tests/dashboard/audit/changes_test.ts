import assert from "node:assert/strict";
import { type Change, changesOf } from "../../../src/audit/rules/changes.ts";
import { DEED_GROUPS, deedsWanted, deedText } from "../../../src/audit/rules/deeds.ts";

Deno.test("actions are looked for by group or alone, and an unknown one is shown as it is", () => {
  for (const [group, { deeds }] of Object.entries(DEED_GROUPS)) {
    const actions = Object.keys(deeds);
    assert.deepEqual(deedsWanted(group), actions);
    for (const action of actions) assert.deepEqual(deedsWanted(action), [action]);
  }
  const all = Object.values(DEED_GROUPS).flatMap(({ deeds }) => Object.keys(deeds));
  assert.equal(new Set(all).size, all.length, "each is in one group");
  assert.equal(deedText("payee.added"), "Payee added");
  assert.equal(deedText("user.signed_in"), "Signed in");
  assert.equal(deedsWanted(null), null);
  assert.deepEqual(deedsWanted("constructor"), ["constructor"]);
  assert.equal(deedText("a_b.c"), "a b c");
  assert.equal(deedText("constructor"), "constructor");
});

const CASES: readonly (readonly [what: string, detail: object, changes: readonly Change[]])[] = [
  ["nothing", {}, []],
  ["a status", { from: "pending", to: "failed" }, [
    { name: "status", before: "pending", after: "failed" },
  ]],
  ["an address is no status", { session: 3, from: "10.0.0.1" }, [
    { name: "session", after: "3" },
    { name: "from", after: "10.0.0.1" },
  ]],
  ["only what is changed", {
    before: { id: 1, name: "A", mayPush: false, coolingMs: null, createdAtMs: 5 },
    change: { name: "B", mayPush: false, coolingMs: 86_400_000 },
  }, [
    { name: "name", before: "A", after: "B" },
    { name: "cooling", before: "–", after: "1 d" },
  ]],
  ["everything that is new", { before: null, after: { id: 1, label: "x", usableAtMs: 0 } }, [
    { name: "label", after: "x" },
    { name: "usable", after: "1970-01-01 00:00:00 UTC" },
  ]],
  ["what is gone", { before: { id: 1, label: "x" }, after: null }, [
    { name: "label", before: "x", after: "–" },
  ]],
  ["what both sides have and differs", {
    before: { isActive: true, removedAtMs: null },
    after: { isActive: true, removedAtMs: 1_000 },
  }, [{ name: "removed", before: "–", after: "1970-01-01 00:00:01 UTC" }]],
  ["lists and switches", { ipList: [], permissions: ["a", "b"], isOn: true, accountId: 7 }, [
    { name: "allowed IP addresses", after: "none" },
    { name: "permissions", after: "a, b" },
    { name: "on", after: "yes" },
  ]],
  ["an account inside", { after: { role: "viewer", accountId: 3 } }, [
    { name: "role", after: "viewer" },
    { name: "account", isAccount: true, after: "3" },
  ]],
];

for (const [what, detail, changes] of CASES) {
  Deno.test(`of a row of the audit log is shown: ${what}`, () => {
    assert.deepEqual(changesOf({ action: "x.y", detail: { ...detail } }), changes);
  });
}

Deno.test("single values before and after are called what they are, and much is cut", () => {
  const wallet = { action: "account.receiving_wallet_set", detail: { before: null, after: "0x1" } };
  assert.deepEqual(changesOf(wallet), [{ name: "address", before: "–", after: "0x1" }]);
  const detail = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`n${n}`, "y".repeat(400)]),
  );
  const lines = changesOf({ action: "x.y", detail });
  assert.equal(lines.length, 41);
  assert.deepEqual(lines.at(-1), { name: "and", after: "60 more" });
  assert.ok(lines.every(({ after }) => after.length <= 301));
  const [list] = changesOf({ action: "x.y", detail: { places: Array(500).fill("ab") } });
  assert.match(list!.after, /ab and 480 more$/);
});
