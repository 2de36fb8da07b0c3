import assert from "node:assert/strict";
import { makeServerPlace } from "../support/database/database.ts";
import { dashboardFetch, makeLogin } from "../support/dashboard/dashboard.ts";
import { startGateway } from "../support/gateway.ts";

Deno.test("while the database is away pages say so with 503 and Retry-After, and work again afterwards", async () => {
  await using place = await makeServerPlace();
  await using gateway = await startGateway({ ...place.env, CPG_WORKER: "false" });
  const { token } = await makeLogin(gateway.deps);
  const look = async () => {
    const answer = await dashboardFetch(gateway.url, { path: "/deposits", token });
    return {
      status: answer.status,
      retryAfter: answer.headers.get("retry-after"),
      title: /<h1[^>]*>([^<]*)/.exec(await answer.text())?.[1],
    };
  };

  await place.sqld.kill();
  assert.deepEqual(await look(), { status: 503, retryAfter: "2", title: "Busy" });
  await place.sqld.restart();
  assert.deepEqual(await look(), { status: 200, retryAfter: null, title: "Payments" });
});
