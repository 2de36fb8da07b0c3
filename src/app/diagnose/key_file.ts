import { parseMasterKey } from "../../keys/vault.ts";
import type { Finding } from "../../operations/host.ts";
import type { Config } from "../config/config.ts";
import { factsOf, readSmallFile } from "../../store/connection/files_anywhere.ts";
import { assertMasterKeyGiven, keyFilesOf } from "../config/master_key.ts";

const OTHERS = 0o077;

export async function checkKeyFile(config: Config): Promise<Finding[]> {
  const found = (state: Finding["state"], message: string, advice: string | null = null) => [
    { check: "key file", state, message, advice },
  ];
  if (config.masterKey) return found("ok", "the master key is in CPG_MASTER_KEY");
  assertMasterKeyGiven(config);
  const files = keyFilesOf(config);
  const facts = await Promise.all(files.map(factsOf));
  const at = facts.findIndex((one) => one !== undefined);
  const file = files[Math.max(at, 0)]!;
  if (at < 0) {
    const advice = 'put it back or set CPG_MASTER_KEY; for a new gateway, "serve" creates it';
    return found("failed", `${file} is missing`, advice);
  }
  const { mode } = facts[at]!;
  if (!parseMasterKey(await readSmallFile(file) ?? "")) {
    return found("failed", `${file} doesn't hold 32 bytes in base64 or hex`, "put the key back");
  }
  if ((mode & OTHERS) === 0) return found("ok", `only this user can read ${file}`);
  return found("warning", `${file} can be read by other users`, `chmod 600 ${file}`);
}
