import assert from "node:assert/strict";
import { setAccount } from "../../../src/accounts/set_account.ts";
import {
  confirmSecondFactor,
  offerSecondFactor,
} from "../../../src/access/manage_second_factor.ts";
import { setSettings } from "../../../src/access/require_second_factor.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { totpAt } from "../../../src/base/secrets/totp.ts";
import { LIVE_PATH } from "../../../src/dashboard/live.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { ROUTES } from "../../../src/dashboard/pages.ts";
import { mayUse } from "../../../src/dashboard/routes.ts";
import { startGateway } from "../../support/gateway.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";

const STEP_MS = 30_000;
const OPEN = ["/profile/second-factor", "/profile/passkeys/new", "/prove", "/sign-out"];
const filled = (path: string) =>
  path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => name === "code" ? "ETH" : "1");

for (const who of ["operator", "merchant"] as const) {
  Deno.test(`a required second factor comes before anything else for an ${who}`, async () => {
    await using gateway = await startGateway({ CPG_WORKER: "false" });
    const { deps, url } = gateway;
    const { id } = await createAccount(deps, { name: "Acme", actor: "test" });
    const { user, token } = await makeLogin(deps, who === "merchant" ? { accountId: id } : {});
    const asked = async (path: string, form?: Record<string, string>) => {
      const answer = await dashboardFetch(url, { path, token, ...form && { form } });
      await answer.body?.cancel();
      return `${answer.status} ${answer.headers.get("location") ?? ""}`;
    };
    assert.equal(await asked("/"), "200 ");
    const change = { requiresSecondFactor: true };
    if (who === "operator") await setSettings(deps, { change, actor: "test" });
    else await setAccount(deps, { id, change, actor: "test" });
    for (const route of ROUTES.filter((route) => mayUse(who, route))) {
      if (OPEN.includes(route.path)) continue;
      const form = route.kind === "act" ? { csrf: csrfOf(token) } : undefined;
      const answer = await asked(filled(route.path), form);
      assert.equal(answer, "303 /dashboard/profile/second-factor", `${route.kind} ${route.path}`);
    }
    assert.equal(await asked(LIVE_PATH), "401 ");
    assert.equal(await asked("/profile/second-factor"), "200 ");
    const { sealed, secret } = await offerSecondFactor(deps, user);
    const code = await totpAt(secret, Math.floor(Date.now() / STEP_MS));
    await confirmSecondFactor(deps, { user, sealed, code, actor: "test" });
    assert.equal(await asked("/"), "200 ");
    const off = { path: "/profile/second-factor/off", token, form: { csrf: csrfOf(token) } };
    const refused = await dashboardFetch(url, off);
    assert.match(
      await refused.text(),
      /A second factor is required, so it can&#39;t be turned off/,
    );
  });
}

Deno.test("what is required of one account or of operators is required of nobody else", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const { id } = await createAccount(deps, { name: "Acme", actor: "test" });
  const { id: other } = await createAccount(deps, { name: "Other", actor: "test" });
  const operator = await makeLogin(deps);
  const merchant = await makeLogin(deps, { accountId: other });
  const status = async (token: string) => {
    const answer = await dashboardFetch(url, { path: "/profile", token });
    await answer.body?.cancel();
    return answer.status;
  };
  const change = { requiresSecondFactor: true };
  await setAccount(deps, { id, change, actor: "test" });
  assert.deepEqual([await status(operator.token), await status(merchant.token)], [200, 200]);
  await setSettings(deps, { change, actor: "test" });
  assert.deepEqual([await status(operator.token), await status(merchant.token)], [303, 200]);
});
