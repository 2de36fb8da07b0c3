import assert from "node:assert/strict";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { serve } from "../../../src/app/serve.ts";
import { makeCli, type TestCli } from "../cli_host.ts";

const OWN = "http://127.0.0.1:7777";

async function linkFrom(cli: TestCli): Promise<string> {
  const [link] = await cli.json("payment-link", "list", "--account", "1");
  return new URL(link.url).origin;
}

Deno.test("commands print links to the server that runs, whatever their own environment says", async () => {
  await using cli = await makeCli({ CPG_PUBLIC_URL: OWN });
  await cli.json(
    "rate",
    "source",
    "add",
    ..."--base ETH --quote EUR --kind manual".split(" "),
    "--value=2500",
  );
  await cli.json("account", "create", "--name", "Acme");
  await cli.json("payment-link", "create", ..."--account 1 --title Tea --currency EUR".split(" "));
  assert.equal(await linkFrom(cli), OWN);
  const serving = await serve(
    readConfig({ ...cli.env, CPG_PUBLIC_URL: "https://pay.example.com" }),
  );
  assert.equal(await linkFrom(cli), "https://pay.example.com");

  // Who only writes to the database leads nobody elsewhere.
  const gateway = await openGateway(readConfig(cli.env));
  const { db } = gateway.deps;
  const [{ public_url: sealed } = assert.fail()] = await db.query("SELECT * FROM instances");
  await serving.stop();
  for (const url of ["https://pay.example.net", sealed]) {
    await db.execute([{
      sql: "INSERT OR REPLACE INTO instances VALUES ('forged', 1, 'key', 0, ?, ?)",
      args: [Date.now() + 5_000, String(url)],
    }]);
    assert.equal(await linkFrom(cli), OWN);
  }
  await gateway.close();

  const { CPG_PUBLIC_URL: _, ...env } = cli.env;
  const beside = await serve(readConfig(env));
  assert.equal(await linkFrom(cli), beside.url);
  await beside.stop();
  assert.equal(await linkFrom(cli), OWN);
});
