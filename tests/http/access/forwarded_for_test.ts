import assert from "node:assert/strict";
import { makeClockedMerchant, startClockedGateway, timestampOf } from "../clocked_gateway.ts";
import { rawSigned } from "../requests/raw_request.ts";
import { assertRefused } from "../withdrawals/refusals.ts";

const PROXIES = "127.0.0.1, 10.0.0.0/8,fd00::/8";
const CLIENT = "203.0.113.7";
const OTHER = "198.51.100.1";

const gateway = await startClockedGateway({
  CPG_TRUSTED_PROXIES: PROXIES,
  CPG_AUTH_FAILURES_PER_MINUTE: "2",
});
const direct = await startClockedGateway();
Deno.test.afterAll(async () => {
  await gateway.stop();
  await direct.stop();
});
const client = await makeClockedMerchant(gateway, { ipList: [CLIENT] });

/** One header line for each text. */
function pingFrom(lines: readonly string[], { at = gateway, merchant = client } = {}) {
  const call = { method: "GET", target: "/v1/_ping", timestamp: timestampOf(at.clock) };
  const extra = lines.map((line) => ["X-Forwarded-For", line] as const);
  return rawSigned(at.url, { credentials: merchant.credentials, call, extra });
}

const SEEN_AS_CLIENT: Record<string, readonly string[]> = {
  "the only entry": [CLIENT],
  "the entry before a trusted proxy": [`${CLIENT}, 10.1.2.3`],
  "the entry before several trusted proxies": [`${CLIENT},10.1.2.3, fd00::5 ,127.0.0.1`],
  "the last entry, whatever the client wrote before it": [`${OTHER}, 192.0.2.9, ${CLIENT}`],
  "the last entry after what is no address": [`unknown, <script>, ${CLIENT}`],
  "the last entry of several header lines": [OTHER, CLIENT],
  "the entry before a trusted proxy of the next header line": [`${OTHER}, ${CLIENT}`, "10.1.2.3"],
  "an IPv4 address written as IPv6": [`::ffff:${CLIENT}`],
  "an entry before a proxy written as IPv6": [`${CLIENT}, ::ffff:10.1.2.3`],
};

for (const [what, lines] of Object.entries(SEEN_AS_CLIENT)) {
  Deno.test(`contract 1: the source IP is the rightmost untrusted entry of X-Forwarded-For: ${what}`, async () => {
    assert.equal((await pingFrom(lines)).status, 200, JSON.stringify(lines));
  });
}

const SEEN_AS_OTHER: Record<string, readonly string[]> = {
  "the whitelisted address further left is the client's own word": [`${CLIENT}, ${OTHER}`],
  "further left in an earlier header line": [CLIENT, OTHER],
  "with trusted proxies behind it": [`${CLIENT}, ${OTHER}, 10.1.2.3`],
  "what is no address is not skipped": [`${CLIENT}, unknown`],
  "nor is what is no address before a proxy": [`${CLIENT}, 203.0.113.7.1, 10.1.2.3`],
  "without the header it is the proxy itself": [],
  "an empty header names nobody": [""],
  "an empty entry is not skipped": [`${CLIENT},`],
};

for (const [what, lines] of Object.entries(SEEN_AS_OTHER)) {
  Deno.test(`contract 1: a source IP that X-Forwarded-For doesn't prove is 403: ${what}`, async () => {
    assertRefused(await pingFrom(lines), "ip_not_allowed");
  });
}

Deno.test("contract 5: X-Forwarded-For is believed from trusted proxies only", async () => {
  const elsewhere = await makeClockedMerchant(direct, { ipList: [CLIENT] });
  assertRefused(await pingFrom([CLIENT], { at: direct, merchant: elsewhere }), "ip_not_allowed");
  const here = await makeClockedMerchant(direct, { ipList: ["127.0.0.1"] });
  assert.equal((await pingFrom([OTHER], { at: direct, merchant: here })).status, 200);
});

Deno.test("contract 3: failed authentication counts against the forwarded source IP, not the proxy", async () => {
  const wrong = { ...client, credentials: { ...client.credentials, secret: "wrong" } };
  const fail = (ip: string) => pingFrom([ip], { merchant: wrong });
  for (const ip of ["192.0.2.1", "192.0.2.2"]) {
    assertRefused(await fail(ip), "invalid_signature");
    assertRefused(await fail(ip), "invalid_signature");
    assertRefused(await fail(ip), "rate_limited");
  }
  assertRefused(await fail(`192.0.2.99, 192.0.2.1`), "rate_limited");
  assert.equal((await pingFrom([CLIENT])).status, 200);
});

Deno.test("contract 1: other forwarding headers aren't believed", async () => {
  const call = { method: "GET", target: "/v1/_ping", timestamp: timestampOf(gateway.clock) };
  for (
    const name of ["Forwarded", "X-Real-IP", "X-Client-IP", "True-Client-IP", "CF-Connecting-IP"]
  ) {
    const value = name === "Forwarded" ? `for=${CLIENT}` : CLIENT;
    const { credentials } = client;
    const reply = await rawSigned(gateway.url, { credentials, call, extra: [[name, value]] });
    assertRefused(reply, "ip_not_allowed");
  }
});
