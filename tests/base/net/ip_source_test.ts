import assert from "node:assert/strict";
import { ipSource, ipSources } from "../../../src/base/net/ip_source.ts";

Deno.test("a source is an IPv4 address or an IPv6 /64", () => {
  const sources: readonly (readonly [ip: string, source: string])[] = [
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::1%eth0", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
    ["::1", "0:0:0:0::/64"],
    ["not an address", "not an address"],
  ];
  for (const [ip, source] of sources) assert.equal(ipSource(ip), source);
});

Deno.test("a site is an IPv4 address or an IPv6 /48", () => {
  assert.equal(ipSource("192.0.2.1", 48), "192.0.2.1");
  assert.equal(ipSource("2001:db8:1:2::1", 48), "2001:db8:1::/48");
});

Deno.test("an address counts as itself, and for IPv6 as its whole /48 too, which has a larger share", () => {
  assert.deepEqual(ipSources("192.0.2.1"), [{ name: "192.0.2.1", share: 1 }]);
  assert.deepEqual(ipSources("2001:db8:1:2::1"), [
    { name: "2001:db8:1:2::/64", share: 1 },
    { name: "2001:db8:1::/48", share: 10 },
  ]);
});
