import assert from "node:assert/strict";
import { LibsqlError } from "@libsql/core/api";
import type { Answer, Statement } from "../../../src/store/connection/connection.ts";
import { JointReads } from "../../../src/store/connection/joint_reads.ts";

const FAILING = "a statement at fault";
const AWAY = "the server is away";
const JOINT_MAX = 8;

function read(sql: string): Statement {
  return { sql, args: [] };
}

/** Answers each statement with its own text, and notes what was asked together. */
function watch() {
  const asked: string[][] = [];
  const joint = new JointReads({
    batch: (statements) => {
      const texts = statements.map(({ sql }) => sql);
      asked.push(texts);
      if (texts.includes(AWAY)) return Promise.reject(new TypeError(AWAY));
      if (texts.includes(FAILING)) return Promise.reject(new LibsqlError(FAILING, "SQL_ERROR"));
      return Promise.resolve(texts.map((sql) => ({ rows: [{ sql }] })));
    },
  });
  return { joint, asked };
}

function textsOf(answers: readonly Answer[]): unknown[] {
  return answers.map(({ rows }) => rows[0]?.sql);
}

Deno.test("reads of one turn are one request, and each gets its own answers", async () => {
  const { joint, asked } = watch();
  const answers = await Promise.all([
    joint.batch([read("a")], "read"),
    joint.batch([read("b"), read("c")], "read"),
    joint.batch([], "read"),
    joint.batch([read("d")], "read"),
  ]);
  assert.deepEqual(answers.map(textsOf), [["a"], ["b", "c"], [], ["d"]]);
  assert.deepEqual(asked, [["a", "b", "c", "d"]]);
});

Deno.test("more reads than fit into one request are several", async () => {
  const { joint, asked } = watch();
  const names = Array.from({ length: 2 * JOINT_MAX + 1 }, (_, at) => String(at));
  const answers = await Promise.all(names.map((name) => joint.batch([read(name)], "read")));
  assert.deepEqual(answers.flatMap(textsOf), names);
  assert.deepEqual(asked.map(({ length }) => length), [JOINT_MAX, JOINT_MAX, 1]);
});

Deno.test("a read that fails fails alone", async () => {
  const { joint, asked } = watch();
  const all = await Promise.allSettled([
    joint.batch([read("a")], "read"),
    joint.batch([read(FAILING)], "read"),
    joint.batch([read("b")], "read"),
  ]);
  assert.deepEqual(all.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
  assert.deepEqual(asked, [["a", FAILING, "b"], ["a"], [FAILING], ["b"]]);
});

Deno.test("what no server answers is not asked again here, because each asker does that", async () => {
  const { joint, asked } = watch();
  const reads = ["a", AWAY, "b"].map((name) => joint.batch([read(name)], "read"));
  for (const { status } of await Promise.allSettled(reads)) assert.equal(status, "rejected");
  assert.deepEqual(asked, [["a", AWAY, "b"]]);
});

Deno.test("a write goes alone and at once, and is never sent again", async () => {
  const { joint, asked } = watch();
  const reading = joint.batch([read("a")], "read");
  await joint.batch([read("b")], "write");
  await assert.rejects(joint.batch([read(FAILING)], "write"));
  await reading;
  assert.deepEqual(asked.toSorted(), [["a"], ["b"], [FAILING]].toSorted());
  assert.equal(asked.filter(([sql]) => sql === FAILING).length, 1);
});
