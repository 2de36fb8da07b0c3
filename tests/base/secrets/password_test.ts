import assert from "node:assert/strict";
import { scryptSync } from "node:crypto";
import { KNOWN, PASSWORD_COST, Passwords } from "../../../src/base/secrets/password.ts";
import { TooBusy } from "../../../src/base/waiting/turns.ts";

const passwords = new Passwords(PASSWORD_COST);
const isPassword = (password: string, hash: string) =>
  passwords.guess(KNOWN, (isIt) => isIt(password, hash));

Deno.test("a password opens only its own hash, however it was typed, and the hash shows its cost", async () => {
  const hash = await passwords.hash("Ångström unit 7");
  assert.match(hash, /^scrypt\$131072\$8\$1\$[A-Za-z0-9+/=]{24}\$[A-Za-z0-9+/=]{44}$/);
  const decomposed = "Ångström unit 7".normalize("NFD");
  assert.equal(await isPassword("Ångström unit 7", hash), true);
  assert.equal(await isPassword(decomposed, hash), true);
  assert.equal(await isPassword("Ångström unit 8", hash), false);
  assert.notEqual(await passwords.hash("Ångström unit 7"), hash);
});

Deno.test("a hash is made by scrypt, and older costs still work", async () => {
  const salt = new Uint8Array(16).fill(7);
  const key = scryptSync("open sesame", salt, 32, { N: 1024, r: 8, p: 1 });
  const hash = `scrypt$1024$8$1$${salt.toBase64()}$${new Uint8Array(key).toBase64()}`;
  assert.equal(await isPassword("open sesame", hash), true);
  assert.equal(await isPassword("open sesame!", hash), false);
});

Deno.test("hashing leaves the event loop free, and too many at once are refused", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const started = Array.from({ length: 43 }, () => isPassword("x", cheap));
  const outcomes = await Promise.allSettled([passwords.hash("x"), ...started]);
  clearInterval(timer);
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  assert.ok(refused.length > 0 && refused.length < 5);
  assert.ok(refused.every(({ reason }) => reason instanceof TooBusy));
  assert.ok(turns > 2, `the event loop turned ${turns} times`);
  assert.equal(await isPassword("x", cheap), false);
});

const cheap = `scrypt$1024$8$1$${"A".repeat(22)}==$${"A".repeat(43)}=`;
