import { at } from "../../base/lists.ts";
import { systemClock } from "../../base/clock.ts";
import { TIMESTAMP_TOLERANCE_S } from "../../domain/canonical_request.ts";
import type { Finding } from "../../operations/host.ts";

const ANSWER_MS = 5_000;
const SERVERS_ASKED_MAX = 10;
/** A header has whole seconds, and takes some time. */
const WARNED_S = 10;
const WRONG_S = 60;

/** By the times in the HTTP answers of nodes, of which the median counts. */
export async function checkClock(urls: readonly string[]): Promise<Finding> {
  const asked = [...new Set(urls)].slice(0, SERVERS_ASKED_MAX);
  const found = await Promise.all(asked.map(aheadOf));
  const offsets = found.filter((one) => one !== undefined).toSorted((a, b) => a - b);
  const check = "clock";
  if (offsets.length === 0) {
    return { check, state: "warning", message: "No node says what time it is", advice: null };
  }
  return judgeClock(at(offsets, Math.floor(offsets.length / 2)));
}

export function judgeClock(aheadS: number): Finding {
  const check = "clock";
  const offS = Math.abs(aheadS);
  if (offS <= WARNED_S) {
    return { check, state: "ok", message: "it agrees with the nodes", advice: null };
  }
  const direction = aheadS > 0 ? "ahead of" : "behind";
  return {
    check,
    state: offS > WRONG_S ? "failed" : "warning",
    message: `This machine's clock is ${offS} s ${direction} the nodes`,
    advice: `synchronise it (timedatectl set-ntp true): requests that are ` +
      `${TIMESTAMP_TOLERANCE_S} s off are refused`,
  };
}

/** Undefined if that server doesn't say. */
async function aheadOf(url: string): Promise<number | undefined> {
  try {
    const { origin } = new URL(url);
    const signal = AbortSignal.timeout(ANSWER_MS);
    const { headers, body } = await fetch(origin, { method: "HEAD", redirect: "manual", signal });
    await body?.cancel();
    const theirsMs = Date.parse(headers.get("date") ?? "");
    return Number.isNaN(theirsMs) ? undefined : Math.round((systemClock.nowMs() - theirsMs) / 1000);
  } catch {
    // Whether it answers is checked elsewhere.
    return undefined;
  }
}
