import { isoUtc } from "../../domain/time.ts";

/** What an account stores a day at most, unless an operator has set another number. */
const QUOTA_MB = 64;
const MB = 1_000_000;

interface Limited {
  readonly quotaMb: number | null;
}

export function quotaMbOf({ quotaMb }: Limited): number {
  return quotaMb ?? QUOTA_MB;
}

export function quotaBytesOf(account: Limited): number {
  return quotaMbOf(account) * MB;
}

/** Rounded up, so that something is never nothing. */
export function megabytesOf(bytes: number): number {
  return Math.ceil(bytes / (MB / 10)) / 10;
}

export function quotaText(
  { bytesMax, endsAtMs }: { bytesMax: number; endsAtMs: number },
): string {
  return `Storage quota exceeded: ${megabytesOf(bytesMax)} MB a day, until ${isoUtc(endsAtMs)}`;
}
