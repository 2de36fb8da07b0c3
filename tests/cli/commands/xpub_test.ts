import assert from "node:assert/strict";
import { makeNetwork, startGateway } from "../../support/gateway.ts";
import { runIn } from "../world_host.ts";

/** BIP-84's own example: its first address is in the document. */
const ZPUB =
  "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs";
const FIRST = "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu";

const WALLET = ["account", "receiving-wallet", "--network"];

interface Cli extends AsyncDisposable {
  run(...words: string[]): ReturnType<typeof runIn>;
  // deno-lint-ignore no-explicit-any -- a test knows what it asked for
  json(...words: string[]): Promise<any>;
  fails(code: number, ...words: string[]): Promise<string>;
}

/** With networks whose nodes are never asked, and two accounts. */
async function makeAccounts(): Promise<Cli> {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const rpcUrls = ["http://127.0.0.1:1"];
  const bitcoin = { family: "bitcoin", symbol: "BTC", decimals: 8, chainId: "BTC" } as const;
  await makeNetwork(deps, { code: "BTC", ...bitcoin, rpcUrls, isUnseen: true });
  await makeNetwork(deps, { code: "ETH", rpcUrls, isUnseen: true });
  const run: Cli["run"] = (...words) => runIn(gateway, [...words, "--json"]);
  const cli: Cli = {
    run,
    json: async (...words) => {
      const { code, out, err } = await run(...words);
      assert.equal(code, 0, err);
      return JSON.parse(out);
    },
    fails: async (expected, ...words) => {
      const { code, out } = await run(...words);
      assert.equal(code, expected, out);
      return JSON.parse(out).error.message;
    },
    [Symbol.asyncDispose]: () => gateway.stop(),
  };
  for (const name of ["Acme", "Other"]) await cli.json("account", "create", "--name", name);
  return cli;
}

Deno.test("account receiving-wallet takes a wallet's extended key, and says its first address", async () => {
  await using cli = await makeAccounts();
  const set = [...WALLET, "BTC", "--account", "1"];
  const asked = [...set, "--xpub", ZPUB];
  const row = await cli.json(...asked);
  assert.deepEqual(row, {
    ...{ account_id: 1, network: "BTC", address: null, xpub: ZPUB, first_address: FIRST, gap: 0 },
    ...{ next_address: null, next_at: null },
  });
  assert.deepEqual(await cli.json(...asked), row);
  assert.equal(
    await cli.fails(1, ...WALLET, "BTC", "--account", "2", "--xpub", ZPUB),
    "This extended key is, or was, another account's",
  );
  const address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
  const changed = await cli.json(...set, "--address", address);
  assert.deepEqual([changed.xpub, changed.next_address], [ZPUB, address]);
  const now = await cli.json(...set, "--address", address, "--now");
  assert.deepEqual([now.address, now.xpub, now.gap], [address, undefined, undefined]);
  const back = await cli.json(...asked);
  assert.deepEqual([back.address, back.next_address, back.next_xpub], [address, null, ZPUB]);
});

Deno.test("account receiving-wallet refuses what isn't a public key of the network", async () => {
  await using cli = await makeAccounts();
  const refusal = (network: string, xpub: string) =>
    cli.fails(1, ...WALLET, network, "--account", "1", "--xpub", xpub);
  assert.match(await refusal("ETH", ZPUB), /^No addresses of ETH can be derived/);
  assert.match(
    await refusal("BTC", `${ZPUB.slice(0, -1)}t`),
    /begins with zpub, ypub or xpub, or its checksum is wrong$/,
  );
  assert.match(await refusal("BTC", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"), /complete/);
  // BIP-84's and BIP-32's own.
  const zprv =
    "zprvAdG4iTXWBoARxkkzNpNh8r6Qag3irQB8PzEMkAFeTRXxHpbF9z4QgEvBRmfvqWvGp42t42nvgGpNgYSJA9iefm1yYNZKEm7z6qUWCroSQnE";
  assert.match(await refusal("BTC", zprv), /^This is a private key/);
  const tpub =
    "tpubD6NzVbkrYhZ4XgiXtGrdW5XDAPFCL9h7we1vwNCpn8tGbBcgfVYjXyhWo4E1xkh56hjod1RhGjxbaTLV3X4FyWuejifB9jusQ46QzG87VKp";
  assert.equal(
    await refusal("BTC", tpub),
    "This extended key isn't one of BTC: those begin with zpub, ypub or xpub",
  );
  const usage = await cli.fails(
    ...[2, ...WALLET, "BTC", "--account", "1", "--xpub", ZPUB, "--cancel"] as const,
  );
  assert.match(usage, /needs either --address or --cancel, or --xpub instead$/);
});

Deno.test("a network whose sweeps pay their own fee has no gas wallet", async () => {
  await using cli = await makeAccounts();
  assert.equal(
    await cli.fails(1, "network", "gas-wallet", "BTC"),
    "BTC has no gas wallet: what is swept there pays its own fee, and nothing needs gas",
  );
  const set = ["network", "set", "BTC"];
  assert.match(await cli.fails(1, ...set, "--collect", "batch"), /share transactions anyway/);
  const { code, err } = await cli.run(...set, "--collect-wait", "20m");
  assert.equal(code, 0, err);
});
