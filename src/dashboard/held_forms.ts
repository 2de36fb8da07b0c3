import { randomToken } from "../base/bytes.ts";
import type { Clock } from "../base/clock.ts";
import type { Form } from "./form.ts";

/** The field with the name of the form that waits. */
export const HELD = "held";

const KEPT_MS = 10 * 60_000;
const KEPT_MAX = 200;

/** A form that waits until its sender has proven who they are. */
interface Held {
  readonly id: string;
  readonly path: string;
  readonly form: Form;
  readonly atMs: number;
}

/** In memory only, because what people type may be secret. */
export interface HeldForms {
  /** Replaces the session's earlier one. Returns the name by which only this session can take it. */
  keep(sent: { sessionId: number; path: string; form: Form }): string;
  /** Once. */
  take(asked: { sessionId: number; id: string }): Pick<Held, "path" | "form"> | undefined;
}

export function createHeldForms(clock: Clock): HeldForms {
  const bySession = new Map<number, Held>();
  const isFresh = ({ atMs }: Held) => Math.abs(clock.nowMs() - atMs) < KEPT_MS;
  return {
    keep: ({ sessionId, ...sent }) => {
      for (const [key, held] of bySession) {
        if (!isFresh(held) || bySession.size >= KEPT_MAX) bySession.delete(key);
      }
      const id = randomToken(12);
      bySession.delete(sessionId);
      bySession.set(sessionId, { ...sent, id, atMs: clock.nowMs() });
      return id;
    },
    take: ({ sessionId, id }) => {
      const held = bySession.get(sessionId);
      if (held?.id !== id) return undefined;
      bySession.delete(sessionId);
      return isFresh(held) ? held : undefined;
    },
  };
}

/** The request as its sender's browser made it, with the form that waited. */
export function asSent(
  { url, headers: given }: Request,
  { path, form }: { path: string; form: Form },
): Request {
  const headers = new Headers(given);
  headers.delete("content-length");
  headers.set("content-type", "application/x-www-form-urlencoded");
  return new Request(new URL(path, url), { method: "POST", headers, body: String(form.values) });
}
