import { Lru } from "../base/lru.ts";
import { ApiKeyUses } from "../accounts/tables/volumes.ts";
import { read } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";

const EVERY_MS = 60_000;
const KEYS_REMEMBERED_MAX = 10_000;

/** Notes a key's last use, once a minute. No request waits for it. */
export function createKeyUseNotes(deps: Deps): (use: { keyId: string; ip: string }) => void {
  const notedAtMs = new Lru<string, number>(KEYS_REMEMBERED_MAX);
  return ({ keyId, ip }) => {
    const nowMs = deps.clock.nowMs();
    if (nowMs - (notedAtMs.get(keyId) ?? -Infinity) < EVERY_MS) return;
    notedAtMs.set(keyId, nowMs);
    deps.db.write({
      reads: [read(ApiKeyUses, [keyId])],
      decide: (view) => {
        const before = view.find(ApiKeyUses, [keyId]);
        const use = { usedAtMs: nowMs, ip };
        if (before) view.update(ApiKeyUses, before, use);
        else view.insertKeyed(ApiKeyUses, { keyId, ...use });
      },
    }).catch((error) =>
      deps.log.warn("the use of a key was not recorded", { key_id: keyId, error })
    );
  };
}
