import { ASKING } from "./scripts/asking.ts";
import { CHARTS } from "./scripts/charts.ts";
import { FOLLOWING, ROWS } from "./scripts/following.ts";
import { KEYS } from "./scripts/keys.ts";
import { PASSKEYS } from "./scripts/passkeys.ts";
import { PAYOUT } from "./scripts/payout.ts";
import { READING } from "./scripts/reading.ts";
import { SEARCH_SCRIPT } from "./scripts/search.ts";
import { squeezedScript } from "./squeeze.ts";

/** All but passkeys works without it: it copies, asks, shows local times and keeps figures up to date. */
export const SCRIPT = alone(KEYS + READING + ASKING + ROWS + FOLLOWING);
export const HITS_SCRIPT = alone(SEARCH_SCRIPT);
export const CHART_SCRIPT = alone(CHARTS);
export const PASSKEY_SCRIPT = alone(PASSKEYS);
export const PAYOUT_SCRIPT = alone(PAYOUT);

function alone(text: string): string {
  return squeezedScript(`"use strict";
(() => {
  const every = (selector, work) => document.querySelectorAll(selector).forEach(work);
${text}})();
`);
}
