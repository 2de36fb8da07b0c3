import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { makeNetwork } from "../../support/gateway.ts";
import {
  DEAD_NODE,
  makeClockedMerchant,
  startClockedGateway,
  timestampOf,
} from "../clocked_gateway.ts";
import { rawSigned } from "./raw_request.ts";
import { assertRefused } from "../withdrawals/refusals.ts";

const gateway = await startClockedGateway({ CPG_AUTH_FAILURES_PER_MINUTE: "100000" });
Deno.test.afterAll(() => gateway.stop());
await makeNetwork(gateway.deps, { rpcUrls: [DEAD_NODE] });
await makeNetwork(gateway.deps, { code: "BSC", rpcUrls: [DEAD_NODE], chainId: "56" });
const { credentials, accountId } = await makeClockedMerchant(gateway);
for (const network of ["ETH", "BSC"]) {
  const entry = { accountId, network, currency: "ETH", amount: "1", note: "", actor: "test" };
  await adjustBalance(gateway.deps, entry);
}

interface Sent {
  readonly target: string;
  readonly signedTarget?: string;
  readonly host?: string;
}

function get({ target, signedTarget = target, host }: Sent) {
  return rawSigned(gateway.url, {
    credentials,
    signedTarget,
    call: { method: "GET", target, timestamp: timestampOf(gateway.clock) },
    extra: host === undefined ? [] : [["Host", host]],
  });
}

async function networksOf(target: string): Promise<string[]> {
  const { status, body } = await get({ target });
  assert.equal(status, 200, `${target}: ${JSON.stringify(body)}`);
  return body.data.map((row: { network: string }) => row.network);
}

/** The query as sent, and the networks whose rows it selects. */
const QUERIES: Record<string, readonly string[]> = {
  "network=%45TH": ["ETH"],
  "network=e%74h": ["ETH"],
  "network=%65%54%68": ["ETH"],
  "%6eetwork=bsc": ["BSC"],
  "network=ETH&": ["ETH"],
  "&&network=ETH": ["ETH"],
  "network=ETH&x=a?b=c?": ["ETH"],
  "?network=ETH": ["BSC", "ETH"],
  "x=?&network=BSC": ["BSC"],
  "x=%2F%2f%3f%3F&network=BSC": ["BSC"],
  "x=a+b%20c&network=BSC": ["BSC"],
  "x=/../..//&network=BSC": ["BSC"],
  "x=%zz%&network=BSC": ["BSC"],
  "x='()*!~;:@$,[]|{}&network=BSC": ["BSC"],
  "x=%C3%A9%FF&network=BSC": ["BSC"],
  "network": [],
  "currency=eth&network=bsc": ["BSC"],
  "network=bsc&currency=eth": ["BSC"],
  "": ["BSC", "ETH"],
};

for (const [query, networks] of Object.entries(QUERIES)) {
  Deno.test(`contract 1: the query is signed byte for byte as it was sent: ?${query}`, async () => {
    assert.deepEqual(await networksOf(`/v1/balances?${query}`), networks);
  });
}

/** The target that is sent, and the one that a normalising server would have signed. */
const NORMALISED: Record<string, readonly [sent: string, signed: string]> = {
  "decoded": ["/v1/balances?network=%45TH", "/v1/balances?network=ETH"],
  "encoded": ["/v1/balances?x=|", "/v1/balances?x=%7C"],
  "in other hex digits": ["/v1/balances?x=%2f", "/v1/balances?x=%2F"],
  "with + for %20": ["/v1/balances?x=a+b", "/v1/balances?x=a%20b"],
  "reordered": ["/v1/balances?b=1&a=2", "/v1/balances?a=2&b=1"],
  "without its duplicates": ["/v1/balances?a=1&a=1", "/v1/balances?a=1"],
  "without an empty part": ["/v1/balances?a=1&", "/v1/balances?a=1"],
  "with = added": ["/v1/balances?a", "/v1/balances?a="],
  "in lower case": ["/v1/balances?network=ETH", "/v1/balances?network=eth"],
  "without its dots": ["/v1/./balances", "/v1/balances"],
  "resolved": ["/v1/x/../balances", "/v1/balances"],
  "with a decoded path": ["/v1/%62alances", "/v1/balances"],
  "without a slash at the end": ["/v1/balances/", "/v1/balances"],
  "with slashes merged": ["/v1//balances", "/v1/balances"],
};

for (const [how, [target, signedTarget]] of Object.entries(NORMALISED)) {
  Deno.test(`contract 1: a signature over the target ${how} is 401 Invalid signature: ${target}`, async () => {
    assertRefused(await get({ target, signedTarget }), "invalid_signature");
    assert.notEqual((await get({ target })).status, 401);
  });
}

Deno.test("spec 5.2: a query that is only a question mark is an empty query", async () => {
  const reply = await get({ target: "/v1/balances?", signedTarget: "/v1/balances" });
  assert.equal(reply.status, 200);
});

Deno.test("contract 1: the signed path is the served path: dot segments lead nowhere else", async () => {
  for (const target of ["/v1/_ping/../balances", "/v1/../v1/balances", "/v1/./balances"]) {
    assertRefused(await get({ target }), "not_found");
  }
  for (const target of ["/v1/%2e%2e/v1/balances", "/v1/%2E/balances", "/x/../v1/balances"]) {
    assert.equal((await get({ target })).status, 404, target);
  }
});

Deno.test("spec 5.2: the host isn't part of what is signed", async () => {
  for (const host of ["pay.example.com", "[::1]:8080", "EXAMPLE.com:1", "a_b"]) {
    assert.equal((await get({ target: "/v1/_ping", host })).status, 200, host);
  }
});

Deno.test("spec 5.2: an invalid host never leads to another endpoint than the target's own", async () => {
  for (const host of ["x/v1/balances?", "x/v1/balances#", "x?", "a@b", "x/y", "x\\y"]) {
    for (const signedTarget of ["/v1/_ping", "/v1/balances?/v1/_ping"]) {
      const { status, body } = await get({ target: "/v1/_ping", signedTarget, host })
        .catch(() => ({ status: 400, body: undefined }));
      if (status === 200) assert.equal(body.message, "pong", host);
      else assert.ok(status === 400 || status === 401 || status === 404, `${host}: ${status}`);
    }
  }
});

Deno.test("contract 1: a target in absolute form is served by its path or not at all", async () => {
  const target = `${gateway.url}/v1/_ping`;
  const reply = await get({ target, signedTarget: "/v1/_ping" });
  assert.ok([200, 400, 401].includes(reply.status), String(reply.status));
});

Deno.test("contract 2: a request without a path is refused, and nothing breaks", async () => {
  for (const [method, target] of [["OPTIONS", "*"], ["GET", "/v1/_ping\t"], ["GET", "v1/_ping"]]) {
    const call = { method: method!, target: target!, timestamp: timestampOf(gateway.clock) };
    const { status } = await rawSigned(gateway.url, { credentials, call })
      .catch(() => ({ status: 400 }));
    assert.ok(status >= 400 && status < 500, `${method} ${target}: ${status}`);
  }
  assert.equal((await get({ target: "/v1/_ping" })).status, 200);
});
