/** A receiver that reads every request and answers 200. */
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  async (request) => {
    await request.arrayBuffer();
    return new Response("ok");
  },
);
// deno-lint-ignore no-console -- tells whoever started it where it listens
console.log(`http://127.0.0.1:${server.addr.port}`);
