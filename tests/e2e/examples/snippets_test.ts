import assert from "node:assert/strict";
import { snippetsOf } from "../../../src/docs/snippets.ts";
import { ENDPOINTS } from "../../../src/http/endpoints.ts";
import { makeMerchant, startGateway, type TestGateway } from "../../support/gateway.ts";
import { hasProgram } from "../../support/programs/needed.ts";

const STARTS: Readonly<Record<string, readonly [file: string, program: string, ...string[]]>> = {
  Shell: ["one.sh", "bash"],
  Node: ["one.mjs", "node"],
  Python: ["one.py", "python3"],
  PHP: ["one.php", "php"],
  Go: ["one.go", "go", "run"],
  Ruby: ["one.rb", "ruby"],
};

let gateway: TestGateway;
let folder: string;
Deno.test.beforeAll(async () => {
  gateway = await startGateway({ CPG_WORKER: "false" });
  folder = await Deno.makeTempDir({ prefix: "cpg-snippets-" });
});
Deno.test.afterAll(async () => {
  await Deno.remove(folder, { recursive: true });
  await gateway.stop();
});

/** A key for each language: within a second, all sign the same bytes. */
async function makeEnv(language: string): Promise<Record<string, string>> {
  const { credentials: { keyId, secret } } = await makeMerchant(gateway, { name: language });
  return { CPG_URL: gateway.url, CPG_KEY_ID: keyId, CPG_SECRET: secret };
}

async function answerTo(
  operationId: string,
  { language, env }: { language: string; env: Record<string, string> },
): Promise<string> {
  const endpoint = ENDPOINTS.find((one) => one.operationId === operationId)!;
  const { text } = snippetsOf(endpoint).find((one) => one.language === language)!;
  const [file, program, ...before] = STARTS[language]!;
  await Deno.writeTextFile(`${folder}/${file}`, text);
  const { stdout, stderr } = await new Deno.Command(program, {
    args: [...before, file],
    cwd: folder,
    env,
  }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

for (const [language, [, program]] of Object.entries(STARTS)) {
  Deno.test({
    name: `each operation's example in ${language} is signed as the server verifies it`,
    ignore: !await hasProgram(program),
    fn: async () => {
      const place = { language, env: await makeEnv(language) };
      assert.match(await answerTo("ping", place), /"pong"/);
      assert.match(await answerTo("listTransactions", place), /"success":true,.*"data":\[\]/);
      // The account has no currency yet, which is found out after the signature.
      assert.match(await answerTo("createWithdrawal", place), /"Network not found"/);
    },
  });
}
