import assert from "node:assert/strict";
import { closedUrl } from "../../support/nodes/closed_url.ts";
import { makeCli } from "../cli_host.ts";

Deno.test("a source that has no price is refused unless --force, and nothing is added", async () => {
  await using cli = await makeCli({ CPG_WEBHOOK_ALLOW_PRIVATE: "true" });
  await using prices = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json({ price: "3000" }),
  );
  const page = (url: string, pointer = "/price") => [
    ...["rate", "source", "add", "--base", "ETH", "--quote", "USD", "--kind", "http"],
    ...["--max-age", "120", "--url", url, "--pointer", pointer],
  ];
  const dead = `${closedUrl()}/price`;
  const live = `http://127.0.0.1:${prices.addr.port}/`;
  for (const words of [page(dead), page(live, "/prize")]) {
    assert.match(
      await cli.fails(1, ...words),
      /^There is no price: .*; --force adds the source anyway$/,
    );
  }
  assert.deepEqual(await cli.json("rate", "source", "list"), []);
  const forced = await cli.run([...page(dead), "--force"]);
  assert.equal(forced.code, 0);
  assert.match(forced.err, /^warning: No price yet: /);
  assert.equal((await cli.json(...page(live))).value, "3000");
});
