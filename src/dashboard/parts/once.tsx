import { randomToken } from "../../base/bytes.ts";
import type { Component } from "../../base/html.ts";
import * as kind from "../../domain/kinds.ts";
import type { Fields } from "../form.ts";
import type { Guest } from "../visit.ts";

const ONCE = "once";
const ONCE_BYTES = 15;
const KEY_PREFIX = "dashboard-";
const ONCE_KEY = /^dashboard-[\w-]{20}$/;

/** What is sent again, however late and to whichever program, has the same key. */
export const Once: Component<{ visit: Guest }> = ({ visit }) => (
  <input type="hidden" name={ONCE} value={visit.typed(ONCE) || randomToken(ONCE_BYTES)} />
);

export function onceKey(fields: Fields): string {
  return KEY_PREFIX + fields.required(ONCE, kind.text({ max: 64 }));
}

/** Nobody typed it. */
export function isOnceKey(reference: string): boolean {
  return ONCE_KEY.test(reference);
}
