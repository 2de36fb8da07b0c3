import assert from "node:assert/strict";
import { anyAddress, beginOf, looksWhole, rulesLike } from "../../src/chains/any_address.ts";
import { allRules } from "../../src/chains/registry.ts";
import { createKeyRing } from "../../src/keys/key_ring.ts";
import { rootOf } from "../../src/keys/seed.ts";

const ring = createKeyRing(await rootOf(`${"abandon ".repeat(23)}art`));

for (const rules of allRules()) {
  Deno.test(`an address is one to all that looks for addresses: ${rules.name}`, () => {
    const { bip } = rules;
    const keys = rules.keysFor({ purpose: "deposit", account: 1 });
    for (let index = 0; index < 50; index++) {
      const address = rules.addressOf(ring.publicKeyOf({ ...keys, bip, index }));
      assert.ok(rules.isAddress(address), address);
      assert.equal(rules.canonicalAddress(address), address);
      assert.match(address, rules.addressForm);
      assert.equal(anyAddress(address)?.canonical, address);
      assert.ok(rulesLike(address).includes(rules) && looksWhole(address.toLowerCase()), address);
      const start = rules.addressStart.exec(address);
      assert.equal(start?.index, 0);
      assert.equal(beginOf(address), address.slice(0, start[0].length + 4).toLowerCase());
    }
  });

  Deno.test(`keys of different purposes lie in different places: ${rules.name}`, () => {
    const places = (["deposit", "hot"] as const).map((purpose) =>
      JSON.stringify(rules.keysFor({ purpose, account: 1 }))
    );
    assert.equal(new Set(places).size, places.length);
  });
}
