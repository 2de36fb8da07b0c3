import assert from "node:assert/strict";
import type { Env } from "../../src/app/config/variables.ts";
import { ENV_NAMES, readConfig } from "../../src/app/config/config.ts";
import { describeConfig } from "../../src/app/config/describe.ts";

const reported = (env: Env) =>
  new Map(describeConfig(readConfig(env)).map(({ name, ...setting }) => [name, setting]));

const SECRETS: Env = {
  CPG_DATABASE_URL: "libsql://ann:pa55word@db.example.com/x?authToken=t0ken",
  CPG_DATABASE_TOKEN: "ey.secret.token",
  CPG_MASTER_KEY: "0f".repeat(32),
};

Deno.test("every variable is shown with its value and meaning", () => {
  const all = reported({});
  assert.deepEqual([...all.keys()], [...ENV_NAMES]);
  for (const [name, { value, meaning }] of all) assert.ok(value && meaning, name);
});

Deno.test("variables that are set come from the environment, and all others have their defaults", () => {
  const all = reported({
    CPG_PORT: "9000",
    CPG_TRUSTED_PROXIES: "10.0.0.0/8,fd00::/8",
    CPG_HOST: "",
  });
  assert.deepEqual([all.get("CPG_PORT")!.value, all.get("CPG_PORT")!.source], [
    "9000",
    "environment",
  ]);
  assert.equal(all.get("CPG_TRUSTED_PROXIES")!.value, "10.0.0.0/8, fd00:0:0:0:0:0:0:0/8");
  assert.deepEqual([all.get("CPG_HOST")!.value, all.get("CPG_HOST")!.source], [
    "127.0.0.1",
    "default",
  ]);
  assert.equal(all.get("CPG_DISPLAY_WINDOW")!.value, "10800 seconds: 3 hours");
  assert.equal(all.get("CPG_MASTER_KEY")!.source, "file");
  assert.match(all.get("CPG_MASTER_KEY")!.value, /master\.key, not shown$/);
});

Deno.test("no secret is shown, wherever it was set", () => {
  const all = reported(SECRETS);
  const text = JSON.stringify([...all]);
  for (const secret of ["pa55word", "t0ken", "ey.secret", SECRETS.CPG_MASTER_KEY!]) {
    assert.equal(text.includes(secret), false, secret);
  }
  assert.equal(all.get("CPG_DATABASE_URL")!.value, "libsql://db.example.com/x");
  for (const name of ["CPG_DATABASE_TOKEN", "CPG_MASTER_KEY"]) {
    assert.deepEqual([all.get(name)!.value, all.get(name)!.source], [
      "set, not shown",
      "environment",
    ]);
  }
});
