import assert from "node:assert/strict";
import type { Answer } from "../../cli/cli_host.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
const SECOND = "file:./data/second.db";
const CLOSED = "the master key is not the one it was sealed with";

Deno.test("an old key file that opens the database is named: for a second one, or an older backup", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-old-key-" });
  const cpg = program(folder);
  await cpg.answers(["migrate"]);
  // As earlier versions did: both are sealed with the key in ./data/master.key.
  const common = (await Deno.readTextFile(`${folder}/data/master.key`)).trim();
  const sealing = { CPG_DATABASE_URL: SECOND, CPG_MASTER_KEY: common };
  await cpg.answers(["migrate"], sealing);
  const phrase = await cpg.answers(["seed", "show", "--yes"], { CPG_DATABASE_URL: SECOND });
  await cpg.answers(["seed", "show", "--yes"]);
  await cpg.answers(["backup", "before.db"]);
  const file = (await cpg.answers(["rotate-master-key"])).old_key_file.replace("./", "");
  // Newer ones that do not fit, or hold no key at all.
  await Deno.writeTextFile(`${folder}/data/master.key.old-99990101T000000Z`, "33".repeat(32));
  await Deno.writeTextFile(`${folder}/data/master.key.old-99990102T000000Z`, "no key");
  const hint = `${file} opens it: CPG_MASTER_KEY="$(cat ${file})"`;
  const reported = `Cannot open the database's secrets: ${CLOSED}; ${hint}`;
  const second = { CPG_DATABASE_URL: SECOND };
  const missing =
    "The master key file ./data/second.db.key is missing, and secrets are encrypted " +
    'with it: put it back, or set CPG_MASTER_KEY="$(cat FILE)"';
  assert.equal(await cpg.refuses(["seed", "show", "--yes"], second), `${missing}; ${hint}`);
  assert.equal(await cpg.refuses(["drill", "before.db"]), reported);
  const CPG_MASTER_KEY = (await Deno.readTextFile(`${folder}/${file}`)).trim();
  assert.deepEqual(
    await cpg.answers(["seed", "show", "--yes"], { ...second, CPG_MASTER_KEY }),
    phrase,
  );
  assert.equal((await cpg.answers(["drill", "before.db"], { CPG_MASTER_KEY })).ok, true);
  // The other way round: CPG_MASTER_KEY holds the second database's key and hides the first one's.
  assert.equal(
    await cpg.refuses(["seed", "show", "--yes"], { CPG_MASTER_KEY }),
    `Cannot open the database's secrets: ${CLOSED}; data/master.key opens it: ` +
      'CPG_MASTER_KEY="$(cat data/master.key)"',
  );
  await Deno.remove(`${folder}/${file}`);
  assert.equal(await cpg.refuses(["seed", "show", "--yes"], second), missing);
  await Deno.remove(folder, { recursive: true });
});

/** The program itself, where it keeps its key in a file. */
function program(folder: string) {
  const run = async (args: string[], env: Record<string, string>): Promise<Answer> => {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "-q",
        "-A",
        "--config",
        `${ROOT}deno.json`,
        `${ROOT}main.ts`,
        ...args,
        "--json",
      ],
      cwd: folder,
      env: { CPG_DATABASE_URL: "", CPG_MASTER_KEY: "", ...env },
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assert.match(out!, /^\{.*\}\n$/, err);
    return JSON.parse(out!);
  };
  return {
    answers: async (args: string[], env = {}) => {
      const answer = await run(args, env);
      assert.equal(answer.error, undefined, JSON.stringify(answer));
      return answer;
    },
    refuses: async (args: string[], env = {}): Promise<string> =>
      (await run(args, env)).error.message,
  };
}
