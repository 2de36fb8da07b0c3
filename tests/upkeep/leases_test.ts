import assert from "node:assert/strict";
import type { Deps } from "../../src/deps/deps.ts";
import { createJobHolder, doAll, doJob, holdEverything } from "../../src/upkeep/leases.ts";
import { Membership } from "../../src/upkeep/membership.ts";
import { read } from "../../src/store/engine/workspace.ts";
import { Leases } from "../../src/upkeep/table.ts";
import { startGateway } from "../support/gateway.ts";

const JOB = { job: "keep house" };

function failing(why: string): () => Promise<never> {
  return () => Promise.reject(new Error(why));
}

async function takeOver({ db }: Deps): Promise<void> {
  await db.write({
    reads: [read(Leases, [JOB.job, ""])],
    decide: (view) => {
      const lease = view.get(Leases, [JOB.job, ""]);
      view.update(Leases, lease, { instance: "another", fence: lease.fence + 1 });
    },
  });
}

Deno.test("a step that fails stops none of those after it, and each failure is reported", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const done: string[] = [];
  const last = () => Promise.resolve(done.push("last"));
  const work = () => doAll([failing("one"), failing("two"), last]);
  await assert.rejects(doJob(holdEverything(gateway.deps), JOB, work), /Error: one; Error: two/);
  await assert.rejects(doAll([failing("alone"), last]), /^Error: alone$/);
  assert.deepEqual(done, ["last", "last"]);
});

Deno.test("what an instance still wanted to do after another took its job over is not begun", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const jobs = createJobHolder(deps, new Membership(deps));
  const done: string[] = [];
  const isMine = await doJob(jobs, JOB, (own) =>
    doAll([
      () => takeOver(deps),
      failing("away"),
      () => own.db.write({ reads: [], decide: () => done.push("written") }),
      () => Promise.resolve(done.push("begun")),
    ]));
  assert.equal(isMine, false);
  assert.deepEqual(done, []);
});
