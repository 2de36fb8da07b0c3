import assert from "node:assert/strict";
import { nextTurn } from "../../../src/base/waiting/next_turn.ts";
import { Shares } from "../../../src/base/waiting/shares.ts";
import { csvStream } from "../../../src/http/lists/list.ts";

const PAGES = 500;

/** Lists of many pages without a row, whose reading waits for nothing. */
function startCsvs(count: number) {
  const shares = new Shares({ atOnce: 1, waitMaxMs: 1_000, slowAfterMs: 1_000 });
  const shown: number[] = [];
  const answers = Array.from({ length: count }, (_, n) =>
    csvStream({
      names: ["id"],
      numbers: new Set(),
      rowsAtOnce: 7,
      place: { turn: (part) => shares.turn(String(n), part) },
      read: (cursor, limit) => {
        assert.equal(limit, 7);
        shown.push(n);
        const page = (cursor ?? 0) + 1;
        return Promise.resolve({ rows: [], next: page < PAGES ? page : null });
      },
      onEnd: () => {},
    }, new Headers()));
  return { answers, shown };
}

Deno.test("CSVs together read one page in each turn of the event loop, each in its turn", async () => {
  const { answers, shown } = startCsvs(3);
  let isOver = false;
  const texts = Promise.all(answers.map((one) => one.text())).finally(() => isOver = true);
  for (let before = 0; !isOver; before = shown.length) {
    await nextTurn();
    assert.ok(shown.length <= before + 2, `${shown.length - before} pages in a turn`);
  }
  assert.deepEqual(await texts, ["id\r\n", "id\r\n", "id\r\n"]);
  assert.equal(shown.length, 3 * PAGES);
  assert.deepEqual(new Set(shown.slice(0, 3)).size, 3);
});

Deno.test("a CSV that is given up isn't read further", async () => {
  const { answers: [answer], shown } = startCsvs(1);
  const reader = answer!.body!.getReader();
  await reader.read();
  const next = reader.read();
  while (shown.length < 2) await nextTurn();
  await reader.cancel();
  assert.equal((await next).done, true);
  for (let turns = 0; turns < PAGES; turns++) await nextTurn();
  assert.ok(shown.length < 10, `${shown.length} pages were read`);
});
