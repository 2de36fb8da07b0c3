import { CHARTS } from "./scripts/charts.ts";
import { ASKING } from "./scripts/asking.ts";
import { FOLLOWING } from "./scripts/following.ts";
import { KEYS } from "./scripts/keys.ts";
import { PAYOUT_SCRIPT } from "./scripts/payout.ts";
import { READING } from "./scripts/reading.ts";
import { SEARCH_SCRIPT } from "./scripts/search.ts";

/** Everything works without it: it copies, asks, shows local times and keeps figures up to date. */
export const SCRIPT = `"use strict";
(() => {
  const every = (selector, work) => document.querySelectorAll(selector).forEach(work);
${KEYS}${READING}${ASKING}${CHARTS}${PAYOUT_SCRIPT}${SEARCH_SCRIPT}${FOLLOWING}})();
`;
