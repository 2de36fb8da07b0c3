/** A receiver that takes everything: what it is sent is read and answered. */
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  async (request) => {
    await request.arrayBuffer();
    return new Response("ok");
  },
);
// deno-lint-ignore no-console -- tells whoever started it where it listens
console.log(`http://127.0.0.1:${server.addr.port}`);
