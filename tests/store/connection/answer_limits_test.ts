import assert from "node:assert/strict";
import { fetchWithin, NoAnswer } from "../../../src/store/connection/answer_limits.ts";
import { startRawReceiver } from "../../support/programs/receiver.ts";

type Talk = Parameters<typeof startRawReceiver>[0];

/** Then nothing more comes. */
function saying(text: string): Talk {
  return async (conn) => {
    await conn.write(new TextEncoder().encode(text));
    await new Promise(() => {});
  };
}

async function ask(talk: Talk, ms: number): Promise<Response> {
  await using server = startRawReceiver(talk);
  return await fetchWithin(ms)(new Request(server.url));
}

Deno.test("an answer in time arrives as it was sent", async () => {
  const some = await ask(saying("HTTP/1.1 418 T\r\nx-a: b\r\ncontent-length: 2\r\n\r\nhi"), 30_000);
  assert.deepEqual([some.status, some.headers.get("x-a"), await some.text()], [418, "b", "hi"]);
  const none = await ask(saying("HTTP/1.1 204 No Content\r\n\r\n"), 30_000);
  assert.deepEqual([none.status, await none.text()], [204, ""]);
});

for (
  const [what, said] of Object.entries({
    "nothing": "",
    "half of a header": "HTTP/1.1 200 OK\r\ncontent",
    "half of its answer": "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf",
  })
) {
  Deno.test(`a server that says ${what} is given up`, async () => {
    await assert.rejects(ask(saying(said), 100), (error) => {
      assert.ok(error instanceof NoAnswer, String(error));
      return error.message === "no answer within 0.1 s";
    });
  });
}
