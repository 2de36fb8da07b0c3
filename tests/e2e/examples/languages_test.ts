import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, setBalance } from "../../support/payers.ts";
import { startWorld } from "../../support/world.ts";
import { settleAll } from "../../support/payouts.ts";
import { hasProgram } from "../../support/programs/needed.ts";

const ROOT = new URL("../../../", import.meta.url);
const LINES_MAX = 60;
interface Language {
  readonly name: string;
  readonly file: string;
  readonly run: readonly string[];
}

const LANGUAGES: readonly Language[] = [
  { name: "shell", file: "cpg.sh", run: ["bash"] },
  { name: "node", file: "cpg.mjs", run: ["node"] },
  { name: "python", file: "cpg.py", run: ["python3"] },
  { name: "php", file: "cpg.php", run: ["php"] },
  { name: "go", file: "cpg.go", run: ["go", "run"] },
  { name: "ruby", file: "cpg.rb", run: ["ruby"] },
];
const PAYEE = "0x00000000000000000000000000000000000A11cE";
const SECRET = `whsec_${btoa("a secret of thirty-two bytes....")}`;

const anvil = await startAnvil();
const world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
Deno.test.afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await anvil.stop();
});
const { accountId, hotWallet, credentials } = world.merchant;
const asset = { accountId, network: "ETH", currency: "ETH" };
await adjustBalance(world.deps, { ...asset, amount: "100", note: "test", actor: "test" });
await setBalance(anvil, hotWallet, 200n * ETHER);

interface Ended {
  readonly code: number;
  readonly text: string;
  readonly faults: string;
}

async function runExample(
  { name, file, run: [program, ...before] }: Language,
  { args, input = "", url = world.url, secret = SECRET }: {
    args: readonly string[];
    input?: string;
    url?: string;
    secret?: string;
  },
): Promise<Ended> {
  const child = new Deno.Command(program!, {
    args: [...before, new URL(`docs/examples/${name}/${file}`, ROOT).pathname, ...args],
    env: {
      CPG_URL: url,
      CPG_KEY_ID: credentials.keyId,
      CPG_SECRET: credentials.secret,
      CPG_WEBHOOK_SECRET: secret,
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  // It may end without having read it.
  await writer.write(new TextEncoder().encode(input)).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim();
  return { code, text: textOf(stdout), faults: textOf(stderr) };
}

async function printed(language: Language, ...args: string[]): Promise<string> {
  const { code, text, faults } = await runExample(language, { args });
  assert.equal(code, 0, faults);
  return text;
}

/** The gateway carries out the first request, and the caller gets a proxy's error. */
function startProxy() {
  const paid: number[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      const headers = [...request.headers].filter(([header]) =>
        /^(x-cpg|content-type)/.test(header)
      );
      const init = { method: request.method, headers, body: await request.arrayBuffer() };
      const answer = await fetch(world.url + pathname, init);
      const { data } = await answer.clone().json();
      paid.push(data.withdrawal_id ?? data.id);
      return paid.length > 1 ? answer : Response.json({ message: "Bad gateway" }, { status: 502 });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    paid,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** What somebody writes who copies the function, and wants something else. */
const COPIED = [
  { name: "shell", end: /^case [^]*/m, own: "call GET $LIST" },
  { name: "node", end: /^const \[command[^]*/m, own: "console.log(await call('GET', LIST))" },
  { name: "python", end: /^if __name__[^]*/m, own: "print(call('GET', LIST))" },
  { name: "php", end: /^\$args =[^]*/m, own: "print_r(call('GET', $LIST));" },
] as const;

for (const { name, end, own } of COPIED) {
  const { file, run: [program] } = LANGUAGES.find((one) => one.name === name)!;
  Deno.test({
    name: `the ${name} example's call signs a query too`,
    ignore: !await hasProgram(program!),
    fn: async () => {
      const source = await Deno.readTextFile(new URL(`docs/examples/${name}/${file}`, ROOT));
      const list = '"/v1/transactions?direction=deposit&limit=1"';
      const copy = `${await Deno.makeTempDir()}/${file}`;
      const text = source.replace(end, () => own.replace(/\$?LIST/, list));
      await Deno.writeTextFile(copy, text);
      const { code, stderr } = await new Deno.Command(program!, {
        args: [copy],
        env: {
          CPG_URL: world.url,
          CPG_KEY_ID: credentials.keyId,
          CPG_SECRET: credentials.secret,
        },
      }).output();
      assert.equal(code, 0, new TextDecoder().decode(stderr));
    },
  });
}

for (const language of LANGUAGES) {
  const { name, file, run: [program] } = language;
  Deno.test({
    name: `the ${name} example gets addresses, pays once and verifies webhooks`,
    ignore: !await hasProgram(program!),
    fn: async () => {
      const order = `${name} "order" 7`;
      const address = await printed(language, "address", "ETH", "ETH", order);
      assert.match(address, /^0x[0-9a-fA-F]{40}$/);
      assert.equal(await printed(language, "address", "ETH", "ETH", order), address);

      const payout = ["payout", "ETH", "ETH", address, "1.5", `${name}-7`];
      const [id, status] = (await printed(language, ...payout)).split(" ");
      assert.equal(status, "broadcasted");
      await settleAll(world);
      assert.equal(await printed(language, ...payout), `${id} confirmed`);
      const received = await anvil.rpc("eth_getBalance", [address, "latest"]);
      assert.equal(BigInt(received), 3n * ETHER / 2n);

      const refused = await runExample(language, {
        args: ["payout", "ETH", "ETH", "nobody at all", "1", `${name}-8`],
      });
      assert.notEqual(refused.code, 0);
      assert.match(refused.faults, /The address format is invalid for this network$/m);
      const wrong = await runExample(language, {
        args: ["payout", "ETH", "", address, "1,5", "x"],
      });
      assert.notEqual(wrong.code, 0);
      const faults = "(currency: Must have 1 to 32 characters) " +
        "(amount: Must be a decimal of at most 78 digits)";
      const message = `Invalid fields: currency, amount ${faults}\n`;
      assert.ok(`${wrong.faults}\n`.includes(message), wrong.faults);

      const body = JSON.stringify({ id: "evt_1", text: "Grüße, 🌍" });
      const at = new Date();
      const signature = new Webhook(SECRET).sign("evt_1", at, body);
      const nowS = String(Math.floor(at.getTime() / 1000));
      const old = new Date(at.getTime() - 400_000);
      const oldS = String(Math.floor(old.getTime() / 1000));
      const verified = async (args: string[], input: string) =>
        (await runExample(language, { args: ["verify", ...args], input })).code;
      assert.equal(await verified(["evt_1", nowS, signature], body), 0);
      assert.equal(await verified(["evt_1", nowS, `v1,AAAA ${signature}`], body), 0);
      assert.equal(await verified(["evt_1", nowS, signature], `${body} `), 1);
      assert.equal(await verified(["evt_2", nowS, signature], body), 1);
      assert.equal(await verified(["evt_1", nowS, "v1,AAAA"], body), 1);
      const late = new Webhook(SECRET).sign("evt_1", old, body);
      assert.equal(await verified(["evt_1", oldS, late], body), 1);

      const forged = createHmac("sha256", "").update(`evt_1.${nowS}.${body}`).digest("base64");
      for (const secret of ["", "whsec_"]) {
        const args = ["verify", "evt_1", nowS, `v1,${forged}`];
        assert.notEqual((await runExample(language, { args, input: body, secret })).code, 0);
      }

      const trap = `${await Deno.makeTempDir()}/sprung`;
      assert.notEqual(await verified(["evt_1", `PATH[$(touch ${trap})0]`, signature], body), 0);
      await assert.rejects(Deno.stat(trap), Deno.errors.NotFound);
    },
  });

  Deno.test({
    name: `the ${name} example asks again when a proxy answers for the gateway`,
    ignore: !await hasProgram(program!),
    fn: async () => {
      await using proxy = startProxy();
      const args = ["payout", "ETH", "ETH", PAYEE, "0.5", `${name}-9`];
      const { code, text, faults } = await runExample(language, { args, url: proxy.url });
      assert.equal(code, 0, faults);
      const id = Number(text.split(" ")[0]);
      assert.deepEqual(proxy.paid, [id, id], "the second request got the first one's answer");
    },
  });

  Deno.test(`the ${name} example says that a payment without an answer may have been made`, async () => {
    const source = await Deno.readTextFile(new URL(`docs/examples/${name}/${file}`, ROOT));
    assert.match(source, /No answer from/);
    assert.match(source, /It may have been carried out: ask again with the same reference/);
  });

  Deno.test(`the ${name} example has at most ${LINES_MAX} lines`, async () => {
    const lines =
      (await Deno.readTextFile(new URL(`docs/examples/${name}/${file}`, ROOT))).trimEnd().split(
        "\n",
      ).length;
    assert.ok(lines <= LINES_MAX, `${lines} lines`);
  });
}
