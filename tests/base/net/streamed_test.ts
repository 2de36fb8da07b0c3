import assert from "node:assert/strict";
import { nextTurn } from "../../../src/base/waiting/next_turn.ts";
import { streamed, watchStream } from "../../../src/base/net/streamed.ts";

/** A streamed answer, and what is reported of it. */
function watch(body: ReadableStream<Uint8Array>) {
  const said: string[] = [];
  const response = streamed(body, {});
  watchStream(response, {
    handOver: () => said.push("handed over"),
    taken: () => said.push("taken"),
    ended: () => said.push("ended"),
  });
  return { reader: response.body!.getReader(), said };
}

Deno.test("a stream that is left while a part is being read ends once", async () => {
  let source: ReadableStreamDefaultController<Uint8Array>;
  const { reader, said } = watch(new ReadableStream({ start: (it) => void (source = it) }));
  const reading = reader.read();
  source!.enqueue(new Uint8Array(1));
  await reading;
  const pending = reader.read();
  await nextTurn();
  await reader.cancel();
  await pending;
  assert.deepEqual(said, ["taken", "handed over", "taken", "ended"]);
});

Deno.test("a stream that is read to its end, or fails, ends once", async () => {
  const done = watch(new Blob(["a"]).stream());
  while (!(await done.reader.read()).done);
  assert.deepEqual(done.said, ["taken", "handed over", "taken", "ended"]);
  const failing = watch(new ReadableStream({ pull: (it) => it.error(new Error("broken")) }));
  await assert.rejects(failing.reader.read(), /broken/);
  await assert.rejects(failing.reader.cancel(), /broken/);
  assert.deepEqual(failing.said, ["taken", "ended"]);
});
