import assert from "node:assert/strict";
import { present } from "../../../src/base/assert.ts";
import { cidrContains, parseCidr, parseIp } from "../../../src/base/net/cidr.ts";
import { seededRandom } from "../../domain/random.ts";

const hexOf = (text: string) =>
  parseIp(text)?.toByteArray().map((byte) => byte.toString(16).padStart(2, "0")).join("");

function contains(range: string, ip: string): boolean {
  const cidr = present(parseCidr(range), `${range} is a range`);
  return cidrContains(cidr, present(parseIp(ip), `${ip} is an address`));
}

const ADDRESSES: readonly (readonly [text: string, hex: string])[] = [
  ["0.0.0.0", "00000000"],
  ["255.255.255.255", "ffffffff"],
  ["192.168.0.1", "c0a80001"],
  ["::", "00".repeat(16)],
  ["::1", `${"00".repeat(15)}01`],
  ["1::", `0001${"00".repeat(14)}`],
  ["2001:db8::8:800:200c:417a", "20010db80000000000080800200c417a"],
  ["2001:DB8:0:0:8:800:200C:417A", "20010db80000000000080800200c417a"],
  ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
  ["1:2:3:4:5:6:7::", "00010002000300040005000600070000"],
  ["::2:3:4:5:6:7:8", "00000002000300040005000600070008"],
  ["fe80::1%eth0", "fe800000000000000000000000000001"],
  ["fe80::1%br-lan.2", "fe800000000000000000000000000001"],
  ["::1.2.3.4", `${"00".repeat(12)}01020304`],
  ["64:ff9b::192.0.2.33", "0064ff9b0000000000000000c0000221"],
  ["::ffff:1.2.3.4", "01020304"],
  ["::FFFF:1.2.3.4", "01020304"],
  ["::ffff:102:304", "01020304"],
  ["0:0:0:0:0:ffff:1.2.3.4", "01020304"],
  ["1::ffff:1.2.3.4", "00010000000000000000ffff01020304"],
];

for (const [text, hex] of ADDRESSES) {
  Deno.test(`the address ${text} is read as ${hex.length / 2} bytes`, () => {
    assert.equal(hexOf(text), hex);
  });
}

const GARBAGE = [
  "",
  " ",
  "1",
  "1.2.3",
  "1.2.3.4.5",
  "256.1.1.1",
  "1.2.3.-4",
  "01.2.3.4",
  "1.2.3.04",
]
  .concat(["1.2.3.4 ", " 1.2.3.4", "1.2.3.0x4", "1.2.3.", "a.b.c.d", "localhost", "1.2.3.4:80"])
  .concat([":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", ":1::2", "1::2:", "::g"])
  .concat(["12345::", "1:2:3:4:5:6:7:8::", "::1.2.3", "::1.2.3.256", "[::1]", "::1/64", "-1::"])
  .concat(["010.0.0.1", "0x7f.0.0.1", "127.1", "::ffff:0x7f.0.0.1", "::ffff:010.0.0.1"])
  .concat(["1.2.3.4%eth0", "1.2.3.4%:", "::1%a\nb", "1::127.1", "::ffff:2130706433", "١.٢.٣.٤"])
  .concat(["1.2.3.4::", "1.2.3.4::5", "::1.2.3.4:5", "1.2.3.4:5::", "1:2:3:4:5:6:7:1.2.3.4"]);

for (const text of GARBAGE) {
  Deno.test(`${JSON.stringify(text)} is not an address`, () =>
    assert.equal(parseIp(text), undefined));
}

const RANGES: readonly (readonly [range: string, ip: string, isInside: boolean])[] = [
  ["10.0.0.0/8", "10.255.255.255", true],
  ["10.0.0.0/8", "11.0.0.0", false],
  ["10.9.8.7/8", "10.0.0.1", true],
  ["192.168.4.0/22", "192.168.7.255", true],
  ["192.168.4.0/22", "192.168.8.0", false],
  ["192.168.4.0/22", "192.168.3.255", false],
  ["1.2.3.4", "1.2.3.4", true],
  ["1.2.3.4", "1.2.3.5", false],
  ["1.2.3.4/31", "1.2.3.5", true],
  ["1.2.3.4/31", "1.2.3.6", false],
  ["0.0.0.0/0", "255.0.0.1", true],
  ["0.0.0.0/0", "::1", false],
  ["::/0", "2001:db8::1", true],
  ["::/0", "1.2.3.4", false],
  ["::1", "::1", true],
  ["::1", "::2", false],
  ["fd00::/8", "fdff::1", true],
  ["fd00::/8", "fe00::1", false],
  ["2001:db8::/33", "2001:db8:7fff::", true],
  ["2001:db8::/33", "2001:db8:8000::", false],
  ["10.0.0.0/8", "::ffff:10.1.2.3", true],
  ["::ffff:10.0.0.0/104", "10.1.2.3", true],
  ["::ffff:10.0.0.0/104", "11.1.2.3", false],
  ["::ffff:10.1.2.3", "10.1.2.3", true],
  ["::ffff:0:0/96", "8.8.8.8", true],
];

for (const [range, ip, isInside] of RANGES) {
  Deno.test(`${ip} is ${isInside ? "inside" : "outside"} of ${range}`, () => {
    assert.equal(contains(range, ip), isInside);
  });
}

const NO_RANGES = ["", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8/8", "::/129"]
  .concat(["10.0.0.0/ 8", "10.0.0.0/8 ", "10.0.0.0/0x8", "10.0.0/8", "::ffff:10.0.0.0/95", "*"])
  .concat(["10.0.0.0/1.5", "10.0.0.0/8.0", "10.0.0.0/٨"]);

for (const text of NO_RANGES) {
  Deno.test(`${JSON.stringify(text)} is not a range`, () =>
    assert.equal(parseCidr(text), undefined));
}

Deno.test("membership agrees with integer arithmetic for every prefix of both families", () => {
  const random = seededRandom(31);
  for (const bits of [32, 128]) {
    for (let i = 0; i < 4000; i++) {
      const prefix = random.below(bits + 1);
      const base = randomNumber(bits);
      // Half of the time the address shares a random number of leading bits with the range.
      const kept = BigInt(random.below(bits + 1));
      const ip = base >> kept << kept | randomNumber(bits) & (1n << kept) - 1n;
      const shift = BigInt(bits - prefix);
      const range = `${textOf(base, bits)}/${prefix}`;
      const what = `seed 31, case ${i}: ${textOf(ip, bits)} in ${range}`;
      assert.equal(contains(range, textOf(ip, bits)), base >> shift === ip >> shift, what);
    }
  }

  function randomNumber(bits: number): bigint {
    const nibbles = Array.from({ length: bits / 4 }, () => random.below(16).toString(16));
    return BigInt(`0x${nibbles.join("")}`);
  }
});

/** A leading group of its own keeps the IPv6 forms clear of the mapped range. */
function textOf(value: bigint, bits: number): string {
  const size = bits === 32 ? 8n : 16n;
  const parts: bigint[] = [];
  for (let shift = BigInt(bits) - size; shift >= 0n; shift -= size) {
    parts.push(value >> shift & (1n << size) - 1n);
  }
  return bits === 32 ? parts.join(".") : parts.map((part) => part.toString(16)).join(":");
}
