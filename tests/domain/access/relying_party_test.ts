import assert from "node:assert/strict";
import { relyingPartyOf } from "../../../src/access/rules/relying_party.ts";

const LOCAL = "http://localhost:8080/dashboard";
const CASES: readonly (readonly [publicUrl: string, page: string, id?: string, origin?: string])[] =
  [
    ["https://pay.example.com", LOCAL, "pay.example.com", "https://pay.example.com"],
    ["https://a.example:8443/x", LOCAL, "a.example", "https://a.example:8443"],
    ["http://pay.example.com", LOCAL],
    ["https://192.0.2.1", LOCAL],
    ["https://[2001:db8::1]:8443", LOCAL],
    ["http://0.0.0.0:8080", LOCAL],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080/", "localhost", "http://localhost:8080"],
    ["http://[::1]:8080", "http://evil.example/", "localhost", "http://localhost:8080"],
    ["http://localhost:8080", "http://localhost:9090/x", "localhost", "http://localhost:9090"],
    ["http://localhost", "http://localhost/", "localhost", "http://localhost"],
  ];

Deno.test("passkeys belong to the domain of the public URL, and on one's own machine to localhost", () => {
  for (const [publicUrl, page, id, origin] of CASES) {
    const site = relyingPartyOf(publicUrl, new URL(page));
    assert.deepEqual(site, id === undefined ? undefined : { id, origin }, publicUrl);
  }
});
