import { Refused } from "../domain/refusal.ts";
import { BUSY_RETRY_S, REQUESTS_OF_KEY_MAX } from "../domain/shares.ts";

/** Counts what each key has in progress. */
export class Crowd {
  readonly #inProgress = new Map<string, number>();

  /** Returns what to call when it is answered. */
  enter(keyId: string): () => void {
    const before = this.#inProgress.get(keyId) ?? 0;
    if (before >= REQUESTS_OF_KEY_MAX) {
      throw new Refused("rate_limited", { retryAfterS: BUSY_RETRY_S });
    }
    this.#inProgress.set(keyId, before + 1);
    return () => {
      const left = this.#inProgress.get(keyId)! - 1;
      if (left === 0) this.#inProgress.delete(keyId);
      else this.#inProgress.set(keyId, left);
    };
  }
}
