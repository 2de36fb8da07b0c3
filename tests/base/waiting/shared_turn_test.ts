import assert from "node:assert/strict";
import { SharedTurn } from "../../../src/base/waiting/shared_turn.ts";

Deno.test("all who wait in one turn continue together in the next, later ones after them", async () => {
  const turn = new SharedTurn();
  const order: string[] = [];
  const wait = async (name: string) => {
    await turn.next();
    order.push(name);
  };
  const first = [wait("a"), wait("b")];
  await Promise.resolve();
  first.push(wait("c"));
  assert.equal(order.length, 0);
  setImmediate(() => order.push("others"));
  await Promise.all(first);
  assert.deepEqual(order, ["a", "b", "c"]);
  await wait("d");
  assert.deepEqual(order, ["a", "b", "c", "others", "d"]);
});
