import assert from "node:assert/strict";
import { CHANGES, proposalSentence } from "../../src/proposals/changes.ts";

/** As older versions stored and worded them. */
const STORED: readonly [kind: string, wanted: object, before: object | null, said: string][] = [
  ["policy.switch_off", { "id": 3 }, { "label": "Daily" }, 'switch off rule 3 "Daily"'],
  ["policy.switch_off", { "id": 3, "ownedBy": 1 }, {}, "switch off rule 3"],
  ["policy.remove", { "id": 4 }, { "label": "Daily" }, 'remove rule 4 "Daily"'],
  [
    "policy.edit",
    {
      "id": 5,
      "change": {
        "label": "New",
        "cap": "500",
        "outcome": "approve",
        "approvals": 2,
        "expiresMs": 86400000,
      },
    },
    { "label": "Old" },
    'change rule 5 "Old": label New; limit 500; then approve; approvals 2; expires after 24h',
  ],
  ["policy.edit", { "id": 5, "change": { "cap": null } }, null, "change rule 5: limit none"],
  [
    "policy.accept",
    {},
    { "rules": [], "hash": "x" },
    "accept the rules as somebody changed them in the database",
  ],
  [
    "payee.add",
    {
      "accountId": 1,
      "network": "ETH",
      "address": "0x70",
      "label": "Supplier",
      "usableAfterMs": 86400000,
    },
    null,
    'add "Supplier", 0x70 on ETH, as a payee of account 1',
  ],
  [
    "receiving_wallet.set",
    { "accountId": 1, "network": "ETH", "address": "0x70", "isNow": false },
    null,
    "sweep deposits of account 1 on ETH to 0x70",
  ],
  [
    "receiving_wallet.set",
    { "accountId": 1, "network": "ETH", "address": "0x70", "isNow": true },
    null,
    "sweep deposits of account 1 on ETH to 0x70 at once",
  ],
  [
    "key.create",
    {
      "accountId": 1,
      "label": "shop",
      "permissions": ["withdraw", "read_balance"],
      "ipList": [],
      "rateLimit": 5,
      "isOwn": false,
    },
    null,
    'create the API key "shop" of account 1, which may withdraw, read_balance',
  ],
  [
    "role_key.create",
    { "accountId": null, "role": "operator", "label": "all", "ipList": [], "rateLimit": 5 },
    null,
    'create the API key "all", which manages the gateway as operator',
  ],
  [
    "role_key.create",
    { "accountId": 2, "role": "merchant", "label": "own", "ipList": [], "rateLimit": 5 },
    null,
    'create the API key "own", which manages account 2 as merchant',
  ],
  [
    "key.set",
    {
      "keyId": "cpg_1",
      "change": { "permissions": ["withdraw"], "ipList": [], "rateLimit": 7, "label": "x" },
    },
    {},
    "change the API key cpg_1: permissions withdraw; allowed addresses any; requests per minute 7; label x",
  ],
  [
    "user.create",
    { "email": "ann@acme.com", "role": "operator", "accountId": null },
    null,
    "create the login ann@acme.com as operator",
  ],
  [
    "user.create",
    { "email": "ann@acme.com", "role": "finance", "accountId": 2 },
    null,
    "create the login ann@acme.com as finance of account 2",
  ],
  [
    "user.reset",
    { "id": 1 },
    { "email": "ann@acme.com" },
    "give ann@acme.com a new password and turn the second factor off",
  ],
  [
    "user.enable",
    { "id": 1, "isOwn": false },
    { "email": "ann@acme.com" },
    "enable the login ann@acme.com",
  ],
  [
    "user.set_role",
    { "id": 1, "role": "auditor" },
    { "email": "ann@acme.com" },
    "make ann@acme.com auditor",
  ],
  [
    "second_factor.off",
    { "userId": 1, "passkeyId": null },
    { "email": "ann@acme.com" },
    "turn off the authenticator app of ann@acme.com",
  ],
  [
    "second_factor.off",
    { "userId": 1, "passkeyId": "k" },
    { "email": "ann@acme.com" },
    "remove a passkey of ann@acme.com",
  ],
  [
    "account.set",
    {
      "id": 1,
      "change": {
        "name": "Shop",
        "mayPush": true,
        "coolingMs": 3600000,
        "requiresSecondFactor": false,
        "dualControl": false,
        "reporting": null,
      },
    },
    {},
    "change account 1: name Shop; users may bump, resend and revoke on; waiting time of receiving wallets 1h; second factor required off; dual control off; reporting currency none",
  ],
  [
    "setting.set",
    { "change": { "requiresSecondFactor": false, "dualControl": false } },
    {},
    "change the settings: second factor required off; dual control off",
  ],
  [
    "rate_source.add",
    { "base": "ETH", "quote": "USD", "kind": "manual", "value": "3000" },
    null,
    "add a source of ETH/USD: the price 3000, which doesn't get old",
  ],
  [
    "rate_source.remove",
    { "id": 7 },
    { "base": "ETH", "quote": "USD" },
    "remove source 7 of ETH/USD",
  ],
  ["rate_source.remove", { "id": 7 }, null, "remove source 7 of /"],
  [
    "row.accept",
    { "table": "users", "key": "1" },
    {},
    "accept row 1 of users as somebody changed it in the database",
  ],
  [
    "gas_wallet.withdraw",
    { "network": "ETH", "to": "0x70", "amount": "0.5" },
    null,
    "take 0.5 coins out of the gas wallet of ETH, to 0x70",
  ],
  [
    "gas_wallet.withdraw",
    { "network": "ETH", "to": "0x70", "amount": "all" },
    null,
    "take all coins out of the gas wallet of ETH, to 0x70",
  ],
];

Deno.test("a proposal words every setting of an account", () => {
  const wanted = { id: 1, change: { quotaMb: 500 } };
  assert.equal(
    proposalSentence({ kind: "account.set", wanted, before: {} }),
    "change account 1: megabytes stored a day 500",
  );
});

Deno.test("a stored proposal of each kind is worded as older versions did", () => {
  for (const [kind, wanted, before, said] of STORED) {
    assert.equal(proposalSentence({ kind, wanted, before }), said);
  }
  const kinds = CHANGES.map(({ kind }) => kind);
  assert.deepEqual([...new Set(STORED.map(([kind]) => kind))].toSorted(), kinds.toSorted());
});
