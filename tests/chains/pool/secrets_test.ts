import assert from "node:assert/strict";
import { withoutSecrets } from "../../../src/chains/pool/secrets.ts";

const URLS = [
  "https://node.example/v3/k3y-0f-th3-path/rpc",
  "https://node.example/?apikey=k3y-0f-a-query",
  "https://node.example/?apikey=k3y%2F0f%2Ba%2Bquery",
  "https://k3y-user:k3y%2Fpassword@node.example/",
];

for (const url of URLS) {
  Deno.test(`what a node says shows no key of ${url}, encoded or decoded`, () => {
    for (const text of [url, decodeURIComponent(url)]) {
      const reported = withoutSecrets(`cannot serve ${text}: over quota`, url);
      assert.doesNotMatch(reported, /k3y/);
      assert.match(reported, /^cannot serve .*node\.example.*: over quota$/);
    }
  });
}

Deno.test("what a node says shows no name and password as they were sent to it", () => {
  const url = "http://cpg:pw%2F1@127.0.0.1:9332";
  const said = withoutSecrets("bad header: Basic Y3BnOnB3LzE=", url);
  assert.equal(said, "bad header: Basic ***");
});

Deno.test("names and passwords are hidden however short they are, and words around them stay", () => {
  const url = "http://bob:x1@127.0.0.1:9332";
  const said = withoutSecrets("user bob with x1 or bob:x1 isn't bobby, x12", url);
  assert.equal(said, "user *** with *** or ***:*** isn't bobby, x12");
});
