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
export function streamed(body: ReadableStream<Uint8Array>, init: ResponseInit): Response {
  const stream: Stream = { watch: undefined };
  const reader = body.getReader();
  // Whoever leaves while a part is being read would otherwise end it twice.
  let isOver = false;
  const end = () => {
    if (!isOver) stream.watch?.ended(stream);
    isOver = true;
  };
  const watched = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      stream.watch?.taken(stream);
      const part = await reader.read().catch((error) => {
        end();
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

/** False if the response is not a stream. */
export function watchStream(response: Response, watch: StreamWatch): boolean {
  const stream = streams.get(response);
  if (stream) stream.watch = watch;
  return stream !== undefined;
}
