import assert from "node:assert/strict";

const ROOT = new URL("../../../", import.meta.url).pathname;

Deno.test("without Chromium all other tests run, and the last lines count those that need it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-bare-" });
  await Deno.symlink(Deno.execPath(), `${folder}/deno`);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-q", "-P=test", "--no-prompt", "tests/run.ts"],
      ...["tests/docs/sign_page_test.ts", "tests/domain/browser_name_test.ts"],
    ],
    cwd: ROOT,
    env: { PATH: folder, NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.equal(code, 0, text + new TextDecoder().decode(stderr));
  const lines = text.trimEnd().split("\n");
  assert.match(lines[0]!, /^Not here: Chromium, .*\. Tests that need it are left out\.$/);
  const [, count] = /^ok \| \d\d passed \| 0 failed \| (\d+) ignored/m.exec(text) ??
    assert.fail(text);
  assert.ok(Number(count) > 0);
  assert.deepEqual(lines.slice(-2), [
    `${count} ${count === "1" ? "test was" : "tests were"} left out, for want of:`,
    `  Chromium (${count}): apt-get install -y --no-install-recommends chromium-headless-shell`,
  ]);
  await Deno.remove(folder, { recursive: true });
});
