import { parseMasterKey } from "../../keys/vault.ts";
import type { Finding } from "../../cli/host.ts";
import type { Config } from "../config/config.ts";
import { assertMasterKeyGiven, keyFileOf } from "../config/master_key.ts";

const OTHERS = 0o077;

export async function checkKeyFile(config: Config): Promise<Finding[]> {
  const found = (state: Finding["state"], message: string, advice: string | null = null) => [
    { check: "key file", state, message, advice },
  ];
  if (config.masterKey) return found("ok", "the master key is in CPG_MASTER_KEY");
  assertMasterKeyGiven(config);
  const file = keyFileOf(config);
  try {
    const { mode } = await Deno.stat(file);
    if (!parseMasterKey(await Deno.readTextFile(file))) {
      return found("failed", `${file} doesn't hold 32 bytes in base64 or hex`, "put the key back");
    }
    if (mode === null || (mode & OTHERS) === 0) {
      return found("ok", `only this user can read ${file}`);
    }
    return found("warning", `${file} can be read by other users`, `chmod 600 ${file}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) {
      const advice = 'put it back or set CPG_MASTER_KEY; for a new gateway, "serve" creates it';
      return found("failed", `${file} is missing`, advice);
    }
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    return found("failed", `This program may not read ${file}`, "check its owner and mode");
  }
}
