/** The gateway has seen the request and nobody hears its answer, or somebody else answers. */
export type Mishap = "lose the answer" | {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A proxy says so once the gateway has answered. */
  readonly isLate?: boolean;
};

interface Asked {
  readonly body: string;
  readonly signature: string | null;
}

interface BadLine {
  readonly url: string;
  readonly asked: readonly Asked[];
  readonly stop: () => Promise<void>;
}

/** Stands between a client and a gateway. Each mishap befalls one request, in their order. */
export function startBadLine(
  target: string,
  mishaps: readonly Mishap[],
): BadLine {
  const waiting = [...mishaps];
  const asked: Asked[] = [];
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(options, async (request) => {
    const body = await request.text();
    asked.push({ body, signature: request.headers.get("x-cpg-signature") });
    const mishap = waiting.shift();
    if (typeof mishap === "object" && !mishap.isLate) return new Response("{}", mishap);
    const { pathname, search } = new URL(request.url);
    const headers = new Headers(request.headers);
    headers.delete("host");
    const answer = await fetch(target + pathname + search, {
      method: request.method,
      headers,
      ...(body === "" ? {} : { body }),
    });
    const bytes = await answer.arrayBuffer();
    if (typeof mishap === "object") return new Response("<h1>Bad Gateway</h1>", mishap);
    return mishap === undefined ? new Response(bytes, answer) : new Response(brokenOff(), answer);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    asked,
    stop: () => server.shutdown(),
  };
}

function brokenOff(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (body) => body.error(new Error("the line broke")) });
}
