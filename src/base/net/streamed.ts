import type { Bytes } from "../bytes.ts";

interface StreamWatch {
  /** A part is on its way to the client. */
  handOver(stream: object): void;
  /** The client took it. */
  taken(stream: object): void;
  ended(stream: object): void;
}

interface Stream {
  watch: StreamWatch | undefined;
}

const streams = new WeakMap<Response, Stream>();

/** A streamed answer that reports whether the client still reads. */
export function streamed(
  body: ReadableStream<Uint8Array>,
  init: ResponseInit,
  /** Called once, however it ends. */
  onEnd: (fault?: unknown) => void = () => {},
): Response {
  const stream: Stream = { watch: undefined };
  const reader = body.getReader();
  // Whoever leaves while a part is being read would otherwise end it twice.
  let isOver = false;
  const end = (fault?: unknown) => {
    if (isOver) return;
    isOver = true;
    stream.watch?.ended(stream);
    onEnd(fault);
  };
  const watched = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      stream.watch?.taken(stream);
      const part = await reader.read().catch((error) => {
        end(error);
        throw error;
      });
      if (isOver) return;
      if (part.done) {
        end();
        return controller.close();
      }
      stream.watch?.handOver(stream);
      controller.enqueue(part.value);
    },
    cancel: (reason) => {
      end();
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
  const response = new Response(watched, init);
  streams.set(response, stream);
  return response;
}

/** What a client of HTTP/2 leaves unread stays in memory, 200 answers on each connection. */
const WHOLE_MAX = 64 * 1024;
const PART = 32 * 1024;

/** Handed over part by part if it is large. */
export function inParts(
  body: Bytes,
  { headers, status = 200 }: { headers: Headers; status?: number },
  onEnd: () => void = () => {},
): Response {
  if (body.length <= WHOLE_MAX) {
    onEnd();
    return new Response(body, { status, headers });
  }
  headers.set("content-length", String(body.length));
  let at = 0;
  const parts = new ReadableStream<Bytes>({
    pull: (controller) => {
      if (at >= body.length) return controller.close();
      controller.enqueue(body.subarray(at, at += PART));
    },
  }, { highWaterMark: 0 });
  return streamed(parts, { status, headers }, onEnd);
}

/** False if the response is not a stream. */
export function watchStream(response: Response, watch: StreamWatch): boolean {
  const stream = streams.get(response);
  if (stream) stream.watch = watch;
  return stream !== undefined;
}
