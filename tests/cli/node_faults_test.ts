import assert from "node:assert/strict";
import { withNodeFaults } from "../../src/operations/words/node_faults.ts";
import { makeCli } from "./cli_host.ts";

const SENT = (host: string) => `${host}: error sending request for url (${host}): `;
const REFUSED = "client error (Connect): tcp connect error: Connection refused (os error 111)";

/** Nothing listens there any more. */
function closedUrl(): string {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return `http://127.0.0.1:${listener.addr.port}`;
}

Deno.test("a node that isn't there is said as people say it, and anything else stays", () => {
  const local = "127.0.0.1:8545";
  const said = `Nothing answers at ${local}. Is the node running?`;
  assert.equal(withNodeFaults(SENT(local) + REFUSED), said);
  assert.equal(withNodeFaults(`${SENT(local)}${REFUSED}; give another`), `${said} Give another`);
  const both = `${SENT(local)}${REFUSED}; ${SENT("[::1]:1")}${REFUSED}`;
  assert.equal(
    withNodeFaults(both),
    `${said} Nothing answers at [::1]:1. Is the node running?`,
  );
  assert.equal(
    withNodeFaults(`a.example answered HTTP 500; ${SENT(local)}${REFUSED}; b.example is late`),
    `a.example answered HTTP 500; ${said} b.example is late`,
  );
  const dns = "client error (Connect): dns error: failed to lookup address information: Name or " +
    "service not known";
  assert.equal(
    withNodeFaults(`${SENT("node.example")}${dns}; give another`),
    "node.example can't be found. Is the name right? Give another",
  );
  for (
    const other of [
      `${local} did not answer within 6000 ms`,
      `${SENT(local)}client error (SendRequest): connection closed before message completed`,
    ]
  ) assert.equal(withNodeFaults(other), other);
});

Deno.test("network add and doctor say that nothing answers at a node's address", async () => {
  await using cli = await makeCli();
  const url = closedUrl();
  const said = `Nothing answers at ${new URL(url).host}. Is the node running?`;
  const add = ["network", "add", "--preset", "ETH", "--rpc-url", url];
  assert.equal(
    await cli.fails(1, ...add),
    `${said} To add ETH without its node, give --chain-id and a --start-block number`,
  );
  const { code, err } = await cli.run([...add, "--chain-id", "1", "--start-block", "1"]);
  assert.equal(code, 0, err);
  assert.ok(err.includes(`warning: ${said} ETH is added without asking its node\n`), err);
  const { checks } = JSON.parse((await cli.run(["doctor", "--json"])).out);
  const node = checks.find(({ check }: { check: string }) => check === "node of ETH");
  assert.equal(node.message, said);
});
