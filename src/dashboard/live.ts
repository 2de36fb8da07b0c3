import { first } from "../base/lists.ts";
import { sleep } from "../base/clock.ts";
import { utf8 } from "../base/bytes.ts";
import { streamed } from "../base/net/streamed.ts";
import type { Figures } from "./routes.ts";

export const LIVE_PATH = "/live";

const EVERY_MS = 2_000;
const STREAMS_MAX = 200;
const PER_USER_MAX = 20;
/** Leaves room for the same person's other devices. */
const PER_SESSION_MAX = 12;
const BUSY = { "retry-after": "10" };
/** Proxies close connections that are silent for a minute. */
const SILENT_TICKS_MAX = 10;

/** The viewer of an open page. */
export interface Watcher {
  readonly session: { readonly id: number };
  /** Accounts have equal shares, however many users they have; null: an operator. */
  readonly user: { readonly id: number; readonly accountId: number | null };
}

/** Keeps open pages up to date. */
export interface LiveStreams {
  /** `ask` returns undefined once the user may no longer see the page. */
  open(watcher: Watcher, ask: () => Promise<Figures | undefined>): Response;
  /** Ends all streams, so that the server can stop. */
  close(): void;
}

interface Stream extends Watcher {
  readonly gone: AbortController;
}

export function createLiveStreams({ everyMs = EVERY_MS }: { everyMs?: number } = {}): LiveStreams {
  const stopping = new AbortController();
  const streams = new Set<Stream>();
  return {
    open: (watcher, ask) => {
      if (!hasRoom(streams, watcher)) return new Response(null, { status: 503, headers: BUSY });
      const { session, user } = watcher;
      const stream = { session, user, gone: new AbortController() };
      streams.add(stream);
      const signal = AbortSignal.any([stopping.signal, stream.gone.signal]);
      const onEnd = () => void streams.delete(stream);
      const body = ReadableStream.from(events(ask, { signal, everyMs, onEnd }));
      const watched = body.pipeThrough(new TransformStream({ cancel: () => stream.gone.abort() }));
      return streamed(watched, { headers: { "content-type": "text/event-stream" } });
    },
    close: () => stopping.abort(),
  };
}

/** When all are in use, whoever has most gives one up to those with fewer. */
function hasRoom(streams: Set<Stream>, watcher: Watcher): boolean {
  const all = [...streams];
  const sameUser = all.filter(({ user }) => user.id === watcher.user.id);
  const sameSession = sameUser.filter(({ session }) => session.id === watcher.session.id);
  if (sameUser.length >= PER_USER_MAX || sameSession.length >= PER_SESSION_MAX) return false;
  if (all.length < STREAMS_MAX) return true;
  const byOwner = Map.groupBy(all, ownerOf);
  const own = byOwner.get(ownerOf(watcher))?.length ?? 0;
  const most = [...byOwner.values()].reduce((one, other) =>
    other.length > one.length ? other : one
  );
  if (most.length <= own + 1) return false;
  streams.delete(first(most));
  first(most).gone.abort();
  return true;
}

function ownerOf({ user: { id, accountId } }: Watcher): string {
  return accountId === null ? `user ${id}` : `account ${accountId}`;
}

async function* events(
  ask: () => Promise<Figures | undefined>,
  { signal, everyMs, onEnd }: { signal: AbortSignal; everyMs: number; onEnd: () => void },
): AsyncGenerator<Uint8Array> {
  let [last, silent] = ["", 0];
  try {
    while (!signal.aborted) {
      const figures = await ask();
      if (!figures) return;
      const text = JSON.stringify(figures);
      if (text !== last) {
        yield utf8(`data: ${text}\n\n`);
        [last, silent] = [text, 0];
      } else if (++silent >= SILENT_TICKS_MAX) {
        yield utf8(":\n\n");
        silent = 0;
      }
      await sleep(everyMs, signal);
    }
  } finally {
    onEnd();
  }
}
