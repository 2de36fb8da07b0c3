import type { Clock } from "../base/clock.ts";
import { Lru } from "../base/lru.ts";

const KEPT_MS = 500;
const TOKENS_MAX = 20_000;

interface Look {
  readonly atMs: number;
  readonly version: Promise<string | null>;
}

/** However many pages of an invoice are open, it is looked at twice a second. */
export function createVersions(
  { clock }: { clock: Clock },
  look: (token: string) => Promise<string | null>,
) {
  const looks = new Lru<string, Look>(TOKENS_MAX);
  return {
    of: (token: string): Promise<string | null> => {
      const nowMs = clock.nowMs();
      const known = looks.get(token);
      const ageMs = known ? nowMs - known.atMs : Infinity;
      if (known && ageMs >= 0 && ageMs < KEPT_MS) return known.version;
      const version = look(token);
      looks.set(token, { atMs: nowMs, version });
      return version;
    },
  };
}
