import assert from "node:assert/strict";
import {
  installScript,
  removeScript,
  type Service,
  settingIn,
} from "../../../src/cli/service/script.ts";
import { runProgram } from "../../support/programs/program.ts";
import { hasProgram } from "../../support/programs/needed.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
const TOOLS = ["systemctl"];
/** Everybody has this user, so the trial makes none. */
const USER = "daemon";

interface Trial extends AsyncDisposable {
  readonly folder: string;
  readonly service: Service;
  /** What the script and everything it starts has said. */
  run(script: string): Promise<string>;
}

/** A folder instead of the system, in which the service's program shows its environment. */
async function makeTrial(): Promise<Trial> {
  const folder = await Deno.makeTempDir({ prefix: "cpg-service-" });
  // The service's user passes through it.
  await Deno.chmod(folder, 0o755);
  for (const name of TOOLS) {
    await Deno.mkdir(`${folder}/tools`, { recursive: true });
    await Deno.writeTextFile(`${folder}/tools/${name}`, `#!/bin/sh\necho ${name} "$@"\n`);
    await Deno.chmod(`${folder}/tools/${name}`, 0o755);
  }
  const PATH = `${folder}/tools:${Deno.env.get("PATH")}`;
  return {
    folder,
    service: {
      ...{ user: USER, folder, data: `${folder}/data`, prepare: "/usr/bin/env true" },
      ...{ serve: `${Deno.execPath()} run main.ts serve`, cpg: "/usr/bin/env" },
      settings: ["CPG_PORT=9090"],
    },
    run: async (script) => {
      const child = new Deno.Command("/bin/sh", {
        ...{ args: ["-s"], env: { PATH }, stdin: "piped", stdout: "piped", stderr: "piped" },
      }).spawn();
      const input = child.stdin.getWriter();
      await input.write(new TextEncoder().encode(script));
      await input.close();
      const { code, stdout, stderr } = await child.output();
      const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
      assert.equal(code, 0, said);
      return said;
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

const asRoot = { ignore: Deno.uid() !== 0 };

Deno.test({
  name: "the service is installed twice and removed; what money depends on and others' files stay",
  ...asRoot,
  fn: async () => {
    await using trial = await makeTrial();
    const { folder, service, run } = trial;
    const unit = `${folder}/etc/systemd/system/cpg.service`;
    await Deno.mkdir(`${folder}/etc/systemd/system`, { recursive: true });
    await Deno.writeTextFile(unit, "[Unit]\nDescription=written by hand\n");
    const said = await run(installScript(service, folder));
    assert.match(said, /^systemctl daemon-reload\nsystemctl enable --now cpg\.service cpg-backup/);
    const settings = `${folder}/etc/cpg.env`;
    assert.equal((await Deno.stat(settings)).mode! & 0o777, 0o600);
    const { uid } = await Deno.stat(`${folder}/data`);
    assert.equal((await Deno.stat(`${folder}/data`)).mode! & 0o777, 0o700);
    assert.notEqual(uid, 0);
    await Deno.writeTextFile(
      settings,
      `${await Deno.readTextFile(settings)}# CPG_HOST=1\nCPG_SMTP_FROM="A $HOME <a@b.example>"\n`,
    );
    await run(installScript(service, folder));
    const wrapper = `${folder}/usr/local/bin/cpg`;
    const shown = await run(`CPG_DOCS=off ${wrapper}\n${wrapper} sh -c 'id -u; pwd; umask'`);
    assert.match(shown, /^CPG_PORT=9090$/m);
    assert.match(shown, /^CPG_SMTP_FROM=A \$HOME <a@b\.example>$/m);
    assert.doesNotMatch(shown, /^CPG_HOST/m);
    assert.ok(shown.endsWith(`\n${uid}\n${folder}\n0077\n`), shown);
    await Deno.writeTextFile(`${folder}/data/cpg.db`, "money");
    const removed = await run(removeScript(service, folder));
    assert.match(removed, /^systemctl disable --now cpg\.service cpg-backup\.timer\n/);
    assert.equal(await Deno.readTextFile(unit), "[Unit]\nDescription=written by hand\n");
    await Deno.stat(`${folder}/data/cpg.db`);
    assert.match(await Deno.readTextFile(settings), /A \$HOME/);
    for (const path of [wrapper, `${unit.replace("cpg.", "cpg-backup.")}`]) {
      await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
    }
  },
});

Deno.test({
  name: "systemd takes the units",
  ignore: Deno.uid() !== 0 || !await hasProgram("systemd-analyze"),
  fn: async () => {
    await using trial = await makeTrial();
    await trial.run(installScript(trial.service, trial.folder));
    const names = ["cpg.service", "cpg-backup.service", "cpg-backup.timer"];
    const units = names.map((name) => `${trial.folder}/etc/systemd/system/${name}`);
    const { code, stderr } = await new Deno.Command("systemd-analyze", {
      args: ["verify", ...units],
    }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    assert.equal(code, 0);
  },
});

Deno.test("the service and the command start the program as deno task start and deno task cpg do", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const ran = await runProgram(["install-service", "--json"], {}, "-P=service");
  const shown: { script: string; done: boolean } | { error: { message: string } } = JSON.parse(
    ran.stdout,
  );
  // A checkout in somebody's home is refused, and so is one that a service can't name.
  if ("error" in shown) return assert.match(shown.error.message, /: move it, for example to \/opt/);
  assert.equal(shown.done, false);
  const line = (command: string) => command.replace(/^deno /, `${Deno.execPath()} `);
  assert.ok(shown.script.includes(`\nExecStart=${line(tasks.start.command)}\n`), shown.script);
  assert.ok(shown.script.includes(` ${line(tasks.cpg.command)} "$@"\n`), shown.script);
});

Deno.test("a database in a folder that others use isn't made the service's", async () => {
  const env = { CPG_DATABASE_URL: "file:/srv/cpg.db" };
  const { code, stderr } = await runProgram(["install-service", "--yes"], env, "-P=service");
  assert.equal(code, 1);
  assert.match(stderr, /^error: The \w+ is (in \/srv, which isn't its alone|at \S+): move it/);
});

Deno.test("a database that the service wouldn't know isn't replaced by a new one", async () => {
  for (
    const [url, why] of [
      ["file:./data/shop.db", /whole path$/],
      ["https://user:secret@db.example", /at https:\/\/db\.example, and its secrets/],
    ] as const
  ) {
    const env = { CPG_DATABASE_URL: url };
    const { code, stdout, stderr } = await runProgram(["install-service"], env, "-P=service");
    assert.equal(code, 1);
    assert.equal(stdout, "");
    assert.match(stderr.trim(), why);
  }
});

Deno.test("of the settings, the last line with a name counts", () => {
  const text = '# A=0\nA=1\nAB=2\nA = 3\nA="x y"\nB=\n';
  assert.equal(settingIn(text, "A"), "x y");
  for (const name of ["B", "C"]) assert.equal(settingIn(text, name), undefined);
});
