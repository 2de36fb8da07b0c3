/** Lets this many pieces pass, and closes the connection at the next one. */
export interface Cut {
  /** A request is lost on its way there, a reply on its way back. */
  readonly side: "request" | "reply";
  readonly after: number;
}

export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Arms one cut; later connections work. */
  arm(cut: Cut): void;
  /** True once the cut has happened. */
  isCut(): boolean;
}

/** Stands between the store and a database server and closes connections on request. */
export function startTcpProxy(targetPort: number): TcpProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let armed: Cut | undefined;
  let passed = 0;

  function isFatal(side: Cut["side"]): boolean {
    if (armed?.side !== side || passed++ < armed.after) return false;
    armed = undefined;
    return true;
  }

  async function pipe(from: Deno.Conn, to: Deno.Conn, side: Cut["side"]): Promise<void> {
    try {
      for await (const piece of from.readable) {
        if (isFatal(side)) break;
        await writeAll(to, piece);
      }
    } catch (error) {
      if (!isEnded(error)) throw error;
    } finally {
      for (const end of [from, to]) close(end);
    }
  }

  function close(end: Deno.Conn): void {
    if (!open.delete(end)) return;
    try {
      end.close();
    } catch (error) {
      if (!isEnded(error)) throw error;
    }
  }

  async function serve(client: Deno.Conn): Promise<void> {
    const server = await Deno.connect({ hostname: "127.0.0.1", port: targetPort }).catch(() => {});
    if (!server) return client.close();
    open.add(client).add(server);
    await Promise.all([pipe(client, server, "request"), pipe(server, client, "reply")]);
  }

  const serving = (async () => {
    const connections: Promise<void>[] = [];
    for await (const client of listener) connections.push(serve(client));
    await Promise.all(connections);
  })();
  return {
    port: listener.addr.port,
    arm: (cut) => {
      armed = cut;
      passed = 0;
    },
    isCut: () => armed === undefined,
    [Symbol.asyncDispose]: async () => {
      listener.close();
      for (const end of open) close(end);
      await serving;
    },
  };
}

async function writeAll(to: Deno.Conn, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length;) at += await to.write(piece.subarray(at));
}

function isEnded(error: unknown): boolean {
  return error instanceof Deno.errors.BadResource || error instanceof Deno.errors.Interrupted ||
    error instanceof Deno.errors.ConnectionReset || error instanceof Deno.errors.BrokenPipe ||
    error instanceof TypeError;
}
