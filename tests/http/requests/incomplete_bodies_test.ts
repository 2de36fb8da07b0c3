import assert from "node:assert/strict";
import { newVisitorToken } from "../../../src/dashboard/cookies.ts";
import { serveDashboard } from "../../../src/app/serve.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { signedHeaders } from "../../support/api_client.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { makeClockedMerchant, startClockedGateway, timestampOf } from "../clocked_gateway.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { credentials } = await makeClockedMerchant(gateway);
const dashboard = serveDashboard(gateway.deps, readConfig({}));
const listener = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  (request) => dashboard.handle!(request, "127.0.0.1"),
);
Deno.test.afterAll(async () => {
  await listener.shutdown();
  await dashboard.stop();
});

/** Bodies whose framing and bytes contradict each other. */
const BROKEN: Readonly<Record<string, readonly [header: string, sent: string]>> = {
  "ends before its Content-Length": ["Content-Length: 100", '{"currency":'],
  "ends in the middle of a chunk": ["Transfer-Encoding: chunked", "64\r\n{}"],
  "ends before its last chunk": ["Transfer-Encoding: chunked", "2\r\n{}\r\n"],
};

async function hangUp(port: number, lines: readonly string[]): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(lines.join("\r\n")));
  await connection.closeWrite();
  await connection.read(new Uint8Array(4_096));
}

function reported(message: string): Record<string, unknown>[] {
  return gateway.logged.map((line) => JSON.parse(line)).filter((line) => line.message === message);
}

async function assertTold(message: string, before: number): Promise<void> {
  const lines = await eventually(async () => await reported(message), {
    until: ({ length }) => length > before,
  });
  assert.deepEqual(lines.slice(before).map(({ status }) => status), [400]);
  assert.deepEqual(gateway.logged.filter((line) => line.includes('"level":"error"')), []);
}

for (const [how, [header, sent]] of Object.entries(BROKEN)) {
  Deno.test(`a request to the API whose body ${how} is a 400 and no fault`, async () => {
    const before = reported("request").length;
    const call = {
      method: "POST",
      target: "/v1/withdrawals",
      timestamp: timestampOf(gateway.clock),
    };
    const headers = Object.entries(signedHeaders(credentials, { ...call, body: "{}" }))
      .map(([name, value]) => `${name}: ${value}`);
    const start = [`POST ${call.target} HTTP/1.1`, "Host: x", header, ...headers, "", sent];
    await hangUp(Number(new URL(gateway.url).port), start);
    await assertTold("request", before);
  });

  Deno.test(`a form whose body ${how} is a 400 and no fault`, async () => {
    const before = reported("dashboard request").length;
    const token = newVisitorToken();
    await hangUp(listener.addr.port, [
      "POST /dashboard/sign-in HTTP/1.1",
      "Host: x",
      "Sec-Fetch-Site: same-origin",
      "Content-Type: application/x-www-form-urlencoded",
      `Cookie: cpg=${token}`,
      header,
      "",
      sent,
    ]);
    await assertTold("dashboard request", before);
  });
}
