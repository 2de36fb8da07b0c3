// Not Deno.serve: it can't close a connection without answering.
import type http from "node:http";
import { invariant } from "../assert.ts";

const BODY_CHARS_MAX = 4 * 1024 * 1024;

export interface LocalServer extends AsyncDisposable {
  readonly url: string;
}

/** Only this machine can reach it. */
export async function listenLocally(server: http.Server): Promise<LocalServer> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  invariant(address && typeof address === "object", "It listens on TCP");
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Throws if the caller goes away, or sends more than any of ours does. */
export async function bodyOf(request: http.IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    invariant(text.length <= BODY_CHARS_MAX, "No request is that long");
  }
  return text;
}
