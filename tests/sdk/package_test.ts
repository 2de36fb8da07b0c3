import assert from "node:assert/strict";
import { adjustBalance } from "../../src/actions/accounts/manage_accounts.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { ETHER, setBalance } from "../support/payers.ts";
import { startWorld } from "../support/world.ts";

const ROOT = new URL("../../", import.meta.url);
const TO = "0x00000000000000000000000000000000000bEEf1";

const FIRST_CALL = `import { Cpg } from "cpg-sdk";
const { CPG_URL: url, CPG_KEY_ID: keyId, CPG_SECRET: secret } = process.env;
const cpg = new Cpg({ url, keyId, secret });
const paid = await cpg.createWithdrawal({ network: "ETH", currency: "ETH", to_address: "${TO}", amount: "1" });
console.log(paid.status);
`;

const TYPED = `import { Cpg, type Withdrawal, type WebhookEvent, verifyWebhook } from "cpg-sdk";
const cpg = new Cpg({ url: "", keyId: "", secret: "" });
export const amount: Promise<Withdrawal["amount"]> = cpg.readWithdrawal(1).then((it) => it.amount);
export const event: Promise<WebhookEvent> = verifyWebhook("", {}, "");
// @ts-expect-error: amounts are text
export const wrong: Promise<bigint> = amount;
`;

async function run(program: string, args: string[], options: Deno.CommandOptions = {}) {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, ...options })
    .output();
  const [out, faults] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.ok(success, `${program} ${args.join(" ")}\n${out}${faults}`);
  return out!.trim();
}

Deno.test("the packed SDK makes a payment in five lines, in an empty Node project and in Deno", async () => {
  const anvil = await startAnvil();
  const world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const folder = await Deno.makeTempDir({ prefix: "cpg-sdk-" });
  try {
    const { accountId, hotWallet, credentials } = world.merchant;
    await adjustBalance(world.deps, {
      ...{ accountId, network: "ETH", currency: "ETH" },
      ...{ amount: "10", note: "test", actor: "test" },
    });
    await setBalance(anvil, hotWallet, 10n * ETHER);
    await run(Deno.execPath(), ["task", "-q", "sdk"], { cwd: ROOT });
    await run("npm", ["pack", "--silent", "--pack-destination", folder], {
      cwd: new URL("dist/sdk/", ROOT),
    });
    await Deno.writeTextFile(`${folder}/package.json`, '{"type": "module"}');
    await run("npm", ["install", "--silent", "--offline", "./cpg-sdk-1.0.0.tgz"], { cwd: folder });
    await Deno.writeTextFile(`${folder}/first.js`, FIRST_CALL);
    const env = {
      CPG_URL: world.url,
      CPG_KEY_ID: credentials.keyId,
      CPG_SECRET: credentials.secret,
    };
    assert.equal(await run("node", ["first.js"], { cwd: folder, env }), "broadcasted");
    const deno = ["run", "--no-config", "--node-modules-dir=manual", "-NE", "first.js"];
    assert.equal(await run(Deno.execPath(), deno, { cwd: folder, env }), "broadcasted");
    assert.equal(BigInt(await anvil.rpc("eth_getBalance", [TO, "latest"])), 2n * ETHER);

    await Deno.writeTextFile(`${folder}/typed.ts`, TYPED);
    await run(Deno.execPath(), ["check", "--no-config", "--node-modules-dir=manual", "typed.ts"], {
      cwd: folder,
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
    await world[Symbol.asyncDispose]();
    await anvil.stop();
  }
});

Deno.test("the SDK imports nothing but its own files", async () => {
  for await (const { name } of Deno.readDir(new URL("src/sdk/", ROOT))) {
    const text = await Deno.readTextFile(new URL(`src/sdk/${name}`, ROOT));
    const foreign = [...text.matchAll(/from "([^"]+)"/g)].map(([, from]) => from!)
      .filter((from) => !/^\.\/\w+\.ts$/.test(from));
    assert.deepEqual(foreign, [], name);
  }
});
