import assert from "node:assert/strict";
import { LANGUAGES } from "../../src/invoices/rules/languages.ts";
import en from "../../src/pay/texts/en.json" with { type: "json" };
import { languageFor, sayIn, type TextKey } from "../../src/pay/texts/texts.ts";

const KEYS = Object.keys(en.texts) as TextKey[];
const VALUES = {
  ...{ name: "Acme", coin: "USDT", network: "TRON", wallet: "W", done: 2, needed: 12 },
  ...{ paid: "4", due: "6", overpaid: "1", currency: "EUR", min: "1", max: "9" },
  ...{ amount: "9", fee: "1" },
};
const placesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

Deno.test("each language has every text, with the same values in it, and none is left in English", () => {
  for (const language of LANGUAGES) {
    const file = JSON.parse(Deno.readTextFileSync(`src/pay/texts/${language}.json`));
    assert.deepEqual(Object.keys(file.texts).sort(), KEYS.toSorted(), language);
    const say = sayIn(language);
    const raw = (key: TextKey) =>
      say(key, Object.fromEntries(Object.keys(VALUES).map((name) => [name, `{${name}}`])));
    for (const key of KEYS) {
      assert.deepEqual(placesIn(raw(key)), placesIn(en.texts[key]), `${language} ${key}`);
      assert.ok(!/[{}]/.test(say(key, VALUES)), `${language} ${key}`);
    }
    const same = KEYS.filter((key) => language !== "en" && raw(key) === en.texts[key]);
    assert.ok(same.length <= 2, `${language}: ${same}`);
  }
});

Deno.test("the payer's choice comes first, then the browser's, then the invoice's, then English", () => {
  const none = { chosen: null, accepted: null, invoice: null };
  assert.equal(languageFor(none), "en");
  assert.equal(languageFor({ ...none, invoice: "pl" }), "pl");
  assert.equal(
    languageFor({ ...none, invoice: "pl", accepted: "xx, fr-CH;q=0.5, de;q=0.9" }),
    "de",
  );
  assert.equal(languageFor({ ...none, invoice: "pl", accepted: "xx" }), "pl");
  assert.equal(languageFor({ ...none, accepted: "de;q=0, it" }), "it");
  assert.equal(languageFor({ chosen: "ja", accepted: "de", invoice: "pl" }), "ja");
  assert.equal(
    languageFor({ chosen: "<b>", accepted: `${"x,".repeat(9_000)}de`, invoice: "?" }),
    "en",
  );
});
