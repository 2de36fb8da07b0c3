import assert from "node:assert/strict";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { findSession } from "../../../src/access/manage_sessions.ts";
import { formOf } from "../../../src/dashboard/asking.ts";
import { Form } from "../../../src/dashboard/form.ts";
import { page } from "../../../src/dashboard/routes.ts";
import { NotFound, type RequestFacts, Visit } from "../../../src/dashboard/visit.ts";
import * as kind from "../../../src/domain/kinds.ts";
import { OperatorError, Refused } from "../../../src/domain/refusal.ts";
import {
  type Asking,
  operation,
  optional,
  type OwnerOf,
  required,
  UsageError,
  withFallback,
} from "../../../src/operations/operation.ts";
import { makeLogin } from "../../support/dashboard/dashboard.ts";
import { startGateway } from "../../support/gateway.ts";

const IP = "192.0.2.7";
const text = { help: "x", example: "x" };
const on = page({ path: "/things", ability: "see", show: () => null });

/** Two accounts, and whoever sends a form at the first one. */
async function start() {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const [own, other] = [
    (await createAccount(deps, { name: "Acme", actor: "test" })).id,
    (await createAccount(deps, { name: "Other", actor: "test" })).id,
  ];
  const visitOf = async (role: "operator" | "merchant", form: Record<string, string>) => {
    const login = role === "operator" ? {} : { accountId: own };
    const { token } = await makeLogin(deps, { ...login, email: `${crypto.randomUUID()}@a.com` });
    const facts: Partial<RequestFacts> = {
      deps,
      params: { id: "7" },
      url: new URL("http://localhost/dashboard/things"),
      origin: { ip: IP, userAgent: "" },
      form: new Form(new URLSearchParams(form)),
    };
    return new Visit(facts as RequestFacts, (await findSession(deps, token))!);
  };
  return { own, other, visitOf, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

/** An operation that notes what it is asked, and its form. */
function thing(answer: (asking: Asking) => unknown = () => ({}), of?: OwnerOf) {
  const asked: { asking: Asking; input: unknown }[] = [];
  const change = operation({
    words: ["thing", "change"],
    changes: "pay",
    isUrgent: true,
    summary: "x",
    ...of ? { of } : {},
    positionals: [{ name: "ID", help: "x" }],
    flags: {
      label: required(kind.text({ max: 5 }), text),
      limit: withFallback(kind.integer({ min: 1, max: 9 }), { ...text, fallback: 5 }),
      "any-ip": optional(kind.onOff, text),
      force: optional(kind.present, text),
    },
    examples: [],
    run: (asking, input) => {
      asked.push({ asking, input });
      return Promise.resolve(answer(asking));
    },
  });
  const form = formOf(change, {
    path: "/things/:id{[0-9]+}",
    on,
    fields: { names: ["label", "force"] },
    to: "/things/:id",
    said: () => "Changed",
  });
  return { asked, form };
}

const SENT = { label: "A", limit: "9", any_ip: "on", "any-ip": "on" };

Deno.test("an operation gets what its form has fields for, and who asks with their role", async () => {
  await using gateway = await start();
  const { own, visitOf } = gateway;
  const { asked, form } = thing(undefined, () => Promise.resolve(own));
  assert.deepEqual([form.ability, form.isUrgent], ["pay", true]);
  const visit = await visitOf("merchant", SENT);
  const done = await form.run(visit);
  assert.deepEqual(done, { to: "/things/7", flash: { kind: "done", text: "Changed" } });
  const flags = { label: "A", limit: 5, "any-ip": undefined, force: undefined };
  assert.deepEqual(asked[0]?.input, { flags, positionals: ["7"] });
  const { actor, caller } = asked[0]!.asking;
  assert.deepEqual(actor, { name: `user:${visit.user.id}`, ip: IP });
  assert.deepEqual(caller, { role: "merchant", accountId: own });
  await form.run(await visitOf("merchant", { ...SENT, force: "on" }));
  assert.deepEqual(asked[1]?.input, { flags: { ...flags, force: true }, positionals: ["7"] });
});

Deno.test("another account's record, and one that isn't there, are not found by a form", async () => {
  await using gateway = await start();
  const { other, visitOf } = gateway;
  for (const owner of [other, null, undefined]) {
    const { asked, form } = thing(undefined, () => Promise.resolve(owner));
    await assert.rejects(async () => form.run(await visitOf("merchant", SENT)), NotFound);
    const asOperator = async () => form.run(await visitOf("operator", SENT));
    if (owner === undefined) await assert.rejects(asOperator, NotFound);
    else await asOperator();
    assert.equal(asked.length, owner === undefined ? 0 : 1);
  }
});

Deno.test("an operation that doesn't say whose it is can't be asked for by an account's user", async () => {
  await using gateway = await start();
  const { asked, form } = thing();
  await assert.rejects(async () => form.run(await gateway.visitOf("merchant", SENT)), NotFound);
  assert.equal(asked.length, 0);
  await form.run(await gateway.visitOf("operator", SENT));
  assert.equal(asked.length, 1);
});

Deno.test("a form says what an operation refuses without naming its flags", async () => {
  await using gateway = await start();
  const { visitOf } = gateway;
  const refuses = (error: Error) =>
    thing(() => {
      throw error;
    }).form.run;
  const usage = refuses(new UsageError("--any-ip needs --label"));
  await assert.rejects(
    async () => usage(await visitOf("operator", SENT)),
    new OperatorError('"Any ip" needs "Label"'),
  );
  const denied = refuses(new Refused("role_denied", { text: "developer" }));
  await assert.rejects(async () => denied(await visitOf("operator", SENT)), NotFound);
  const proposed = thing(() => ({ proposal_id: 3 })).form;
  const done = await proposed.run(await visitOf("operator", SENT));
  assert.match(JSON.stringify(done), /somebody else must approve proposal 3/);
});
