import { sleep } from "../base/clock.ts";
import { utf8 } from "../base/bytes.ts";
import { streamed } from "../base/streamed.ts";
import type { Figures } from "./routes.ts";

export const LIVE_PATH = "/live";

const EVERY_MS = 2_000;
const STREAMS_MAX = 200;
/** Proxies drop what is silent for a minute. */
const SILENT_TICKS_MAX = 10;

/** Pages that are open and told what changes. */
export interface LiveStreams {
  /** `ask` answers undefined when the user may see it no more. */
  open(ask: () => Promise<Figures | undefined>): Response;
  /** Ends all, so that the server can stop. */
  close(): void;
}

export function createLiveStreams({ everyMs = EVERY_MS }: { everyMs?: number } = {}): LiveStreams {
  const stopping = new AbortController();
  let streams = 0;
  return {
    open: (ask) => {
      if (streams >= STREAMS_MAX) return new Response(null, { status: 503 });
      streams++;
      const gone = new AbortController();
      const signal = AbortSignal.any([stopping.signal, gone.signal]);
      const body = ReadableStream.from(events(ask, { signal, everyMs, onEnd: () => streams-- }));
      const watched = body.pipeThrough(new TransformStream({ cancel: () => gone.abort() }));
      return streamed(watched, { headers: { "content-type": "text/event-stream" } });
    },
    close: () => stopping.abort(),
  };
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
