import assert from "node:assert/strict";
import { proveAgain } from "../../../src/access/manage_sessions.ts";
import { askToCreate } from "../../../src/access/passkeys/offer.ts";
import { passkeysOf } from "../../../src/access/rules/second_factors.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import type { Said } from "../../support/dashboard/authenticator.ts";
import { EMAIL, HERE, startWithAnn } from "./ann.ts";

const MINUTE_MS = 60_000;

Deno.test("with a passkey the password alone opens nothing, and no answer opens twice", async () => {
  await using ann = await startWithAnn();
  const phone = ann.device(5);
  assert.equal((await ann.add(phone)).length, 10, "recovery codes");
  const first = await ann.half();
  const answer = phone.prove(await ann.asked(first));
  assert.equal(await ann.give(first, answer), "open");
  assert.equal(await ann.give(first, answer), "wrong");
  assert.equal(await ann.give(await ann.half(), answer), "wrong");
  const [passkey] = passkeysOf(await ann.user());
  assert.deepEqual([passkey?.name, passkey?.counter, passkey?.transports], ["Phone", 6, [
    "internal",
  ]]);
  assert.ok(passkey!.usedAtMs! > passkey!.createdAtMs);
});

const LIES: Readonly<Record<string, Said>> = {
  "another origin": { origin: "https://pay.example.com.evil.example" },
  "another port": { origin: "https://pay.example.com:8443" },
  "another domain": { rpId: "example.com" },
  "nobody was verified": { isVerified: false },
  "a frame of another site": { crossOrigin: true },
  "another ceremony": { type: "webauthn.create" },
  "a challenge of its own": { challenge: "AAAAAAAAAAAAAAAAAAAAAA" },
};

Deno.test("nothing but the user's own passkey on our own pages is believed", async () => {
  await using ann = await startWithAnn();
  const phone = ann.device();
  for (const [what, said] of Object.entries(LIES)) {
    const lie = what === "another ceremony" ? { type: "webauthn.get" } : said;
    await assert.rejects(ann.add(phone, lie), /couldn't be checked/, what);
  }
  await ann.add(phone);
  for (const [what, said] of Object.entries(LIES)) {
    const half = await ann.half();
    assert.equal(await ann.give(half, phone.prove(await ann.asked(half), said)), "wrong", what);
  }
  const half = await ann.half();
  const stranger = JSON.parse(ann.device().prove(await ann.asked(half)));
  const posing = JSON.stringify({ ...stranger, id: phone.id, rawId: phone.id });
  assert.equal(await ann.give(half, posing), "wrong");
  assert.equal(await ann.give(half, phone.prove(await ann.asked(half))), "open");
});

Deno.test("a challenge is for one session and one purpose, for five minutes", async () => {
  await using ann = await startWithAnn();
  const { site } = ann;
  const phone = ann.device();
  await ann.add(phone);
  const theirs = await ann.asked(await ann.half());
  const mine = await ann.half();
  assert.equal(await ann.give(mine, phone.prove(theirs)), "wrong");
  const { challenge } = JSON.parse(await askToCreate(ann.deps, { ...mine, site }));
  assert.equal(await ann.give(mine, phone.prove(theirs, { challenge })), "wrong");
  const open = await ann.live();
  const prove = async (answer: string) => {
    const live = await ann.live();
    const given = { answer, session: live.session, site };
    return (await proveAgain(ann.deps, { ...live, given, origin: HERE })).isRight;
  };
  const [early, late] = [phone.prove(await ann.asked(open)), phone.prove(await ann.asked(open))];
  ann.moveMs(5 * MINUTE_MS);
  assert.equal(await prove(early), false, "too late");
  const before = phone.prove(await ann.asked(open));
  ann.moveMs(1_000);
  const answer = phone.prove(await ann.asked(open));
  assert.deepEqual([await prove(answer), await prove(answer), await prove(before)], [
    true,
    false,
    false,
  ]);
  assert.equal(await prove(late), false);
});

Deno.test("a passkey that was used less often than counted is refused, and somebody hears of it", async () => {
  await using ann = await startWithAnn();
  const phone = ann.device(7);
  await ann.add(phone);
  phone.counter = 5;
  const half = await ann.half();
  assert.equal(await ann.give(half, phone.prove(await ann.asked(half))), "wrong");
  assert.equal(
    (await ann.notices()).at(-1),
    `Remove a passkey of ${EMAIL} that may have been copied: "Phone"`,
  );
  const [said] = await auditPage(ann.deps.db, {
    actor: null,
    subject: "user:1",
    cursor: null,
    limit: 1,
  });
  assert.deepEqual([said!.action, said!.detail], ["user.passkey_refused", {
    passkey: "Phone",
    counter: 6,
    before: 7,
  }]);
  phone.counter = 7;
  assert.equal(await ann.give(half, phone.prove(await ann.asked(half))), "open");
});

Deno.test("wrong passkeys are limited like wrong codes, and right ones never", async () => {
  await using ann = await startWithAnn();
  const phone = ann.device();
  await ann.add(phone);
  for (let i = 0; i < 9; i++) {
    const half = await ann.half();
    assert.equal(await ann.give(half, phone.prove(await ann.asked(half))), "open");
  }
  const half = await ann.half();
  const lie = phone.prove(await ann.asked(half), { isVerified: false });
  for (let i = 0; i < 8; i++) assert.equal(await ann.give(half, lie), "wrong");
  const right = phone.prove(await ann.asked(half));
  assert.equal(await ann.give(half, right), "throttled");
});
