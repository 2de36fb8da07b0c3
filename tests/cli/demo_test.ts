import assert from "node:assert/strict";
import { DEMO_TOKEN_DEPLOYMENT } from "../../src/cli/demo_token.ts";
import { askNode } from "../support/anvil.ts";
import { makeCli } from "./cli_host.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

Deno.test("the demo's token is the one that the tests compiled", async () => {
  const file = new URL("../support/contracts/Token.json", import.meta.url);
  const { bytecode } = JSON.parse(await Deno.readTextFile(file));
  assert.ok(DEMO_TOKEN_DEPLOYMENT.startsWith(bytecode));
});

Deno.test({
  name: "every line that the demo prints works when pasted into bash and into sh",
  ignore: !(await has(["bash", "sh", "curl", "openssl", "sed", "awk", "date"])),
  fn: async () => void await Promise.all(["bash", "sh"].map(followGuide)),
});

async function has(tools: readonly string[]): Promise<boolean> {
  const args = ["-c", tools.map((tool) => `command -v ${tool}`).join(" && ")];
  return (await new Deno.Command("sh", { args, stdout: "null" }).output()).success;
}

async function followGuide(shell: string): Promise<void> {
  await using cli = await makeCli();
  const stopped = Promise.withResolvers<void>();
  const printed = Promise.withResolvers<string>();
  const running = cli.run(["demo"], { stopped: stopped.promise, onOut: printed.resolve });
  const ready = await Promise.race([printed.promise, running]);
  assert.ok(typeof ready === "string", JSON.stringify(ready));
  const [, guide] = /(# cpg METHOD[^]*)Beside it/.exec(ready)!;
  await paste(shell, guide!);
  stopped.resolve();
  assert.equal((await running).code, 0);
  const rpcUrl = /RPC_URL=(\S+)/.exec(ready)![1]!;
  await assert.rejects(askNode(rpcUrl, { method: "eth_chainId", params: [] }));
  assert.match(
    await cli.fails(1, "demo"),
    /^The demo needs an empty database, and this one has the network ETH/,
  );
}

async function paste(shell: string, guide: string): Promise<void> {
  const child = new Deno.Command(shell, { stdin: "piped", stdout: "piped", stderr: "piped" })
    .spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(guide));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  const out = new TextDecoder().decode(stdout);
  assert.ok(success);
  assert.equal(new TextDecoder().decode(stderr), "");
  const answers = out.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(answers.length, 12, out);
  for (const answer of answers) assert.ok(answer.success ?? answer.result, out);
  const [, , , , , , ether, token, balances, , withdrawal, transactions] = answers;
  for (const request of [ether, token]) assert.equal(request.data.status, "settled", out);
  assert.equal(balances.data_count, 2);
  assert.equal(withdrawal.data.status, "confirmed", out);
  assert.equal(transactions.data_count, 3);
}

Deno.test("the demo begins anew each time, one at a time, and ends with its chain", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-demo-" });
  const first = await startDemo(folder);
  assert.equal(first.answer.networks[0].code, "ETH");
  assert.equal(
    await askNode(first.answer.rpc_url, { method: "eth_chainId", params: [] }),
    "0x7a69",
  );
  const second = await spawnDemo(folder).output();
  assert.equal(second.code, 1);
  assert.match(
    JSON.parse(new TextDecoder().decode(second.stdout)).error.message,
    /^Another gateway is already serving file:.\/data\/demo\/cpg.db/,
  );
  const alive = await fetch(`${first.answer.base_url}/healthz`);
  assert.deepEqual(await alive.json(), { status: "alive" });
  assert.equal(await first.end(), 0);
  await assert.rejects(askNode(first.answer.rpc_url, { method: "eth_chainId", params: [] }));
  const again = await startDemo(folder);
  assert.equal(again.answer.account_id, 1);
  assert.notEqual(again.answer.key_id, first.answer.key_id);
  assert.equal(await again.end(), 0);
  await Deno.remove(folder, { recursive: true });
});

async function startDemo(folder: string) {
  const child = spawnDemo(folder).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream());
  let out = "";
  for await (const text of lines.values({ preventCancel: true })) {
    out += text;
    if (out.includes("\n")) break;
  }
  return {
    answer: JSON.parse(out),
    end: async () => {
      child.kill("SIGTERM");
      await lines.cancel();
      return (await child.status).code;
    },
  };
}

function spawnDemo(folder: string): Deno.Command {
  const args = ["run", "-q", "--config", `${ROOT}deno.json`, "-A", `${ROOT}main.ts`];
  return new Deno.Command(Deno.execPath(), {
    args: [...args, "demo", "--json"],
    cwd: folder,
    env: { CPG_PORT: "0", CPG_DATABASE_URL: "", CPG_LOG_LEVEL: "silent" },
    stdout: "piped",
    stderr: "null",
  });
}
