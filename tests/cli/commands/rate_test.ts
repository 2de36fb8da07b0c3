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

const WRONG: readonly [given: string, error: RegExp][] = [
  ["--kind manual", /^--kind manual needs --value\b/],
  ["--kind manual --value 3 --url https://x.com", /^--kind manual has no --url\b/],
  ["--kind chainlink --network ETH --max-age 60", /^--kind chainlink needs --feed\b/],
  ["--kind http --url https://x.com --pointer /p", /^--kind http needs --max-age\b/],
  [
    `--kind http --pointer /p --max-age 60 --url https://x.com/${"a".repeat(2_000)}`,
    /^--url has more than 2000 characters\b/,
  ],
  ["--kind other", /one of manual, chainlink, http/],
];

Deno.test("each kind of source takes its own flags, and all that it needs", async () => {
  await using cli = await makeCli();
  for (const [given, error] of WRONG) {
    const words = ["rate", "source", "add", "--base", "ETH", "--quote", "USD"];
    assert.match(await cli.fails(2, ...words, ...given.split(" ")), error, given);
  }
});
