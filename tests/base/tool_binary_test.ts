import assert from "node:assert/strict";
import { present } from "../../src/base/assert.ts";
import { findToolBinary, type ToolBinary } from "../../src/base/tool_binary.ts";

const anvil: ToolBinary = {
  package: "@foundry-rs/anvil-linux-amd64",
  version: "1.7.1",
  path: "bin/anvil",
};

Deno.test("a program from npm is found where Deno keeps it, and it runs", async () => {
  const path = present(await findToolBinary(anvil), "anvil comes from npm");
  assert.ok(path.endsWith("/@foundry-rs/anvil-linux-amd64/1.7.1/bin/anvil"));
  const { stdout } = await new Deno.Command(path, { args: ["--version"] }).output();
  assert.match(new TextDecoder().decode(stdout), /anvil Version: 1\.7\.1/);
});

Deno.test("a program that is already there isn't downloaded", async () => {
  await findToolBinary({ ...anvil, onDownload: () => assert.fail("nothing to download") });
});

Deno.test("a missing version is announced as a download and then not found", async () => {
  const reported: string[] = [];
  const path = await findToolBinary({
    ...anvil,
    version: "0.0.0",
    path: "bin/no-such-program",
    onDownload: (specifier) => reported.push(specifier),
  });
  assert.equal(path, undefined);
  assert.deepEqual(reported, ["npm:@foundry-rs/anvil-linux-amd64@0.0.0"]);
});
