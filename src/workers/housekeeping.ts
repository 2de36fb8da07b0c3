import type { Deps } from "../actions/deps.ts";
import { pruneUsedSignatures } from "../actions/prune.ts";

export async function keepHouse(deps: Deps): Promise<void> {
  await pruneUsedSignatures(deps);
}
