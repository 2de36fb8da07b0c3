import assert from "node:assert/strict";
import { csrfOf } from "../../src/dashboard/cookies.ts";
import { GUEST_ROUTES, ROUTES } from "../../src/dashboard/pages.ts";
import type { Route } from "../../src/dashboard/routes.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { dashboardFetch, makeLogin } from "../support/dashboard/dashboard.ts";
import { startPayingWorld } from "../support/payouts.ts";
import { assertBothSides, watchBooks, writesNothing } from "../support/stage.ts";
import { doingOf, DOINGS, makeScene, users } from "./doings.ts";

Deno.test("every POST of the dashboard that changes anything is in the audit log, with its actor", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const operator = await makeLogin(world.deps);
  const scene = await makeScene(world);
  const acts = [...ROUTES, ...GUEST_ROUTES as readonly Route[]].filter((it) => it.kind === "act");
  for (const route of acts) {
    const { path } = route;
    const doing = await doingOf(route, scene);
    const { ids = {}, form = {}, token = operator.token, isLook = false } = doing;
    const filled = path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => String(ids[name]));
    const sent = { path: filled, token, form: { ...form, csrf: csrfOf(token) } };
    const post = async () => {
      const answer = await dashboardFetch(world.url, sent);
      const text = await answer.text();
      assert.ok([200, 303].includes(answer.status), `${path}: ${answer.status} ${text}`);
      assert.doesNotMatch(answer.headers.get("location") ?? "", /sign-in\?|prove/, path);
    };
    if (isLook) {
      assert.ok(await writesNothing(world.deps, post), `${path} writes`);
      continue;
    }
    const seen = await watchBooks(world.deps);
    await post();
    if (doing.isReportedByItself) continue;
    const { rows } = await seen();
    assertBothSides(rows);
    const who = token === operator.token ? [`user:${operator.user.id}`] : [`user:${users}`];
    const shown = rows.filter(({ actor }) => who.includes(actor));
    assert.ok(shown.length > 0, `${path}: ${JSON.stringify(rows)}`);
    assert.ok(shown.every(({ ip }) => ip === "127.0.0.1"), path);
  }
  const paths = acts.map(({ path }) => path);
  assert.deepEqual(Object.keys(DOINGS).filter((path) => !paths.includes(path)), []);
});
