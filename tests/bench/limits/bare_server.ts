/** The least that a server can do: the limit for all that answer HTTP. */
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  () => new Response("Hello"),
);
// deno-lint-ignore no-console -- tells whoever started it where it listens
console.log(`http://127.0.0.1:${server.addr.port}`);
