import { noteLeftOut } from "./needed.ts";

// Every test that is declared after this in the same worker is ignored, and counted for what it needs,
// which the address of this module names: "leave_out_rest.ts?Chromium".
const needed = new URL(import.meta.url).search.slice(1);
const declare = Deno.test;

function leaveOut(first: string | { readonly name: string }): void {
  noteLeftOut(needed, 1);
  declare({ name: typeof first === "string" ? first : first.name, ignore: true, fn: () => {} });
}

const nothing = () => {};
const hooks = { beforeAll: nothing, afterAll: nothing, beforeEach: nothing, afterEach: nothing };
Object.assign(Deno, { test: Object.assign(leaveOut, hooks, { ignore: leaveOut, only: leaveOut }) });
