import assert from "node:assert/strict";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { isMadeAgain, isRestored } from "../../../src/wallets/halt.ts";
import { uncodedHalts } from "../../../src/wallets/reads/addresses.ts";
import { Addresses, type AddressRow } from "../../../src/wallets/tables/addresses.ts";
import { makeFilePlace, makeServerPlace } from "../../support/database/database.ts";
import { fixtures, readFixture, rebuild } from "./old_database.ts";

const RESTORED = "The database was restored from a backup: book what was paid since " +
  '(see "help wallet adopt")';

/** As versions without codes stored them. */
const HALTS = [
  { reason: RESTORED, code: "restored", isRestored: true, isMadeAgain: false },
  {
    reason: `${RESTORED}; before: Wallet 0xa on ETH has sent 5 transactions`,
    ...{ code: "restored", isRestored: true, isMadeAgain: false },
  },
  {
    reason:
      `${RESTORED}; before that "rescan" from before the backup, for blocks were read without this wallet`,
    ...{ code: "made_again", isRestored: true, isMadeAgain: true },
  },
  {
    reason:
      "Wallet 0xa on ETH has sent 5 transactions, of which this gateway signed up to number 2",
    ...{ code: "used_elsewhere", isRestored: false, isMadeAgain: false },
  },
  {
    reason: "0xa sent 0x12 on ETH, which these books did not sign: its key is used elsewhere, or " +
      "the database was restored from an older backup",
    ...{ code: "used_elsewhere", isRestored: false, isMadeAgain: false },
  },
];

for (const [kind, makePlace] of Object.entries({ file: makeFilePlace, server: makeServerPlace })) {
  Deno.test(`wallets that an older version halted get their code, sealed anew, on a ${kind}`, async () => {
    await using place = await makePlace();
    await rebuild(place, await readFixture(fixtures.at(-1)!));
    const open = () => openGateway(readConfig({ ...place.env, CPG_LOG_LEVEL: "silent" }));
    const { deps: { db: old }, close } = await open();
    const [first] = await old.rows(Addresses, "ORDER BY id LIMIT 1");
    const rows = await old.write({
      reads: [],
      decide: (view) =>
        [...HALTS, HALTS[0]!].map(({ reason: haltedReason }, i) => {
          const own = { address: `0x${i}`, keyIndex: 1000 + i, userIdentifier: null };
          return view.insert(Addresses, {
            ...{ ...first!, ...own, purpose: "deposit" },
            ...{ haltedReason, haltedCode: null },
          });
        }),
    });
    const forged = rows.at(-1)!.id;
    await old.execute([
      { sql: "UPDATE addresses SET nonce_floor = 99 WHERE id = ?", args: [forged] },
    ]);
    assert.equal((await uncodedHalts(old, { afterId: 0, limit: 99 })).length, rows.length);
    await close();

    const { deps: { db }, close: end } = await open();
    const found = await Promise.all(rows.map(({ id }) => db.find(Addresses, [id])));
    const coded = found.slice(0, HALTS.length) as AddressRow[];
    assert.deepEqual(
      coded.map((row) => ({
        reason: row.haltedReason,
        code: row.haltedCode,
        isRestored: isRestored(row),
        isMadeAgain: isMadeAgain(row),
      })),
      HALTS,
    );
    assert.ok(coded.every((row) => db.isGenuine(Addresses, row)));
    const [left, ...others] = await uncodedHalts(db, { afterId: 0, limit: 99 });
    assert.deepEqual([left!.id, others], [forged, []], "Only a tampered row has none");
    assert.equal(db.isGenuine(Addresses, left!), false);
    assert.ok(isRestored(left!) && isMadeAgain(left!), "and is taken for the worst");
    await end();
  });
}

Deno.test("a halted wallet without a code needs the most proof, and one that isn't halted none", () => {
  const judged = [null, "used_elsewhere", "restored", "made_again"].map((code) => {
    const haltedCode = code as AddressRow["haltedCode"];
    const wallet = { haltedReason: "any", haltedCode };
    const free = { haltedReason: null, haltedCode };
    return [isRestored(wallet), isMadeAgain(wallet), isRestored(free), isMadeAgain(free)];
  });
  assert.deepEqual(judged, [
    [true, true, false, false],
    [false, false, false, false],
    [true, false, false, false],
    [true, true, false, false],
  ]);
});
