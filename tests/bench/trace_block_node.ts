/**
 * A node that traces whole blocks by `trace_block` alone, in front of the one that it is told of:
 * anvil keeps those traces, but for `debug_traceBlockByHash` it runs a block again for each
 * transaction, and nothing but that would be measured.
 */
const [node] = Deno.args;
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  async (request) => {
    const body = await request.text();
    if (!body.includes('"debug_trace')) {
      const headers = { "content-type": "application/json" };
      return await fetch(node!, { method: "POST", headers, body });
    }
    const asked: { id: unknown } | { id: unknown }[] = JSON.parse(body);
    const error = { code: -32601, message: "Method not found" };
    const refused = [asked].flat().map(({ id }) => ({ jsonrpc: "2.0", id, error }));
    return Response.json(Array.isArray(asked) ? refused : refused[0]);
  },
);
// deno-lint-ignore no-console -- tells whoever started it where it listens
console.log(`http://127.0.0.1:${server.addr.port}`);
