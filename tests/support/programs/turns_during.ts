import { nextTurn } from "../../../src/base/waiting/next_turn.ts";

/** How often the event loop turns meanwhile; if nothing else makes it wait, once at most. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  const done = work().finally(() => isOver = true);
  for (; !isOver; turns++) await nextTurn();
  await done;
  return turns;
}
