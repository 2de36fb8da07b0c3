import type { Share } from "../base/waiting/shares.ts";

/**
 * How much one caller has in progress of what takes long to answer: lists, CSV, pages and streams.
 * A crowd of one is refused, and everybody else notices nothing. Orders and payments need no place.
 */

type Shares = readonly [Share, ...Share[]];

/** Of a key, whatever it asks for (contract.md, "One caller's share"). */
export const REQUESTS_OF_KEY_MAX = 256;
/** For whoever is refused. */
export const BUSY_RETRY_S = 1;

interface KeyOwner {
  readonly keyId: string;
  readonly accountId: number;
}

export function listShares({ keyId, accountId }: KeyOwner): Shares {
  return [
    { owner: `lists of key ${keyId}`, max: 16, waitingMax: 48 },
    { owner: `lists of account ${accountId}`, max: 32, waitingMax: 96 },
  ];
}

/** One at a time, and one of the key's lists. */
export function csvShares(key: KeyOwner): Shares {
  return [{ owner: `CSV of key ${key.keyId}`, max: 1, waitingMax: 0 }, ...listShares(key)];
}

/** A browser opens six connections for a page, unless they share one. */
export function sessionShares(token: string): Shares {
  return [{ owner: `session ${token}`, max: 8, waitingMax: 56 }];
}

interface Viewer {
  readonly id: number;
  /** Accounts have equal shares, however many users they have; null: an operator. */
  readonly accountId: number | null;
}

export function pageShares(viewer: Viewer): Shares {
  const user: Share = { owner: `pages of user ${viewer.id}`, max: 16, waitingMax: 112 };
  if (viewer.accountId === null) return [user];
  return [user, { owner: `pages of account ${viewer.accountId}`, max: 32, waitingMax: 224 }];
}

/** Files last longer than the requests that began them. */
export function fileShares(viewer: Viewer): Shares {
  const user: Share = { owner: `files of user ${viewer.id}`, max: 8, waitingMax: 0 };
  if (viewer.accountId === null) return [user];
  return [user, { owner: `files of account ${viewer.accountId}`, max: 16, waitingMax: 0 }];
}

/** Of somebody who isn't known, at this address or in this network. */
export function sourceShares(source: string): Shares {
  return [{ owner: `pages of ${source}`, max: 16, waitingMax: 112 }];
}

/** What open pages of payers ask all the time, who may be many behind one address. */
export function updateShares(source: string): Shares {
  return [{ owner: `updates of ${source}`, max: 64, waitingMax: 192 }];
}
