const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface SlowClient extends AsyncDisposable {
  send(text: string): Promise<void>;
  /** A byte each 50 ms, until it breaks off. */
  drip(text: string): Promise<void>;
  /** The bytes that arrived until the server closed the connection. */
  untilClosed(withinMs: number): Promise<string>;
  /** The next bytes; undefined: the connection is closed. */
  next(): Promise<string | undefined>;
}

/** A connection that the test controls byte by byte. */
export async function connectSlowly(url: string): Promise<SlowClient> {
  const { hostname, port } = new URL(url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  let isOver = false;
  const send = async (text: string) => {
    const bytes = encoder.encode(text);
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  };
  const next = async () => {
    const bytes = new Uint8Array(64 * 1024);
    const read = await connection.read(bytes).catch(() => null);
    return read === null ? undefined : decoder.decode(bytes.subarray(0, read));
  };
  return {
    send,
    next,
    drip: async (text) => {
      for (const letter of text) {
        if (isOver) return;
        await send(letter).catch(() => isOver = true);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    untilClosed: async (withinMs) => {
      const timer = setTimeout(() => connection.close(), withinMs);
      let [text, isLate] = ["", false];
      const startedAtMs = performance.now();
      for (let part = await next(); part !== undefined; part = await next()) text += part;
      isOver = true;
      clearTimeout(timer);
      isLate = performance.now() - startedAtMs >= withinMs;
      if (isLate) throw new Error(`The connection was still open after ${withinMs} ms: ${text}`);
      return text;
    },
    [Symbol.asyncDispose]: () => {
      isOver = true;
      try {
        connection.close();
      } catch {
        // It was closed for being late.
      }
      return Promise.resolve();
    },
  };
}
