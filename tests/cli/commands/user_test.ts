import assert from "node:assert/strict";
import { makeCli } from "../cli_host.ts";

Deno.test("a user is created with a password that is shown once, listed, reset and disabled", async () => {
  await using cli = await makeCli();
  await cli.json("account", "create", "--name", "Acme");
  const create = ["user", "create", "--email", "Ann@Acme.com", "--role", "merchant"];
  const { password, ...shown } = await cli.json(...create, "--account", "1");
  assert.match(password, /^([a-z2-7]{5}-){3}[a-z2-7]{5}$/);
  assert.deepEqual(shown, {
    user_id: 1,
    email: "ann@acme.com",
    role: "merchant",
    account_id: 1,
    second_factor: false,
    passkeys: 0,
    created_at: shown.created_at,
    disabled_at: null,
  });
  assert.deepEqual(await cli.json("user", "list"), [shown]);
  const { password: next, ...reset } = await cli.json("user", "reset", "ann@acme.com");
  assert.notEqual(next, password);
  assert.deepEqual(reset, shown);
  const disabled = await cli.json("user", "disable", "1");
  assert.notEqual(disabled.disabled_at, null);
  assert.deepEqual(await cli.json("user", "enable", "1"), shown);
  const stored = JSON.stringify(await cli.json("audit", "list"));
  for (const secret of [password, next]) assert.equal(stored.includes(secret), false);
});

Deno.test("a user whose role, account or email doesn't fit is refused", async () => {
  await using cli = await makeCli();
  await cli.json("account", "create", "--name", "Acme");
  const refused = (email: string, ...rest: string[]) =>
    cli.fails(1, "user", "create", "--email", email, ...rest);
  for (const role of ["operator", "approver", "auditor"]) {
    const text = await refused("a@b.c", "--role", role, "--account", "1");
    assert.equal(text, `A user with the role ${role} belongs to no account`);
  }
  for (const role of ["merchant", "finance", "developer", "viewer"]) {
    assert.equal(
      await refused("a@b.c", "--role", role),
      `A user with the role ${role} needs an account`,
    );
  }
  assert.match(await refused("a@b.c", "--role", "merchant", "--account", "9"), /no account 9/);
  assert.equal(await refused("nobody", "--role", "operator"), '"nobody" is not an email address');
  await cli.json("user", "create", "--email", "a@b.c", "--role", "operator");
  assert.equal(await refused("A@b.c", "--role", "operator"), "A user a@b.c already exists");
  assert.match(await cli.fails(1, "user", "disable", "7"), /^There is no user 7/);
  assert.match(await cli.fails(2, "user", "create", "--email", "a@b.c", "--role", "boss"), /boss/);
});

Deno.test("role list says for each ability which roles have it", async () => {
  await using cli = await makeCli();
  const abilities: { ability: string; what: string; roles: string[] }[] = await cli.json(
    "role",
    "list",
  );
  const stop = abilities.find(({ ability }) => ability === "stop");
  const may = { what: "Stop all payouts", roles: ["operator", "approver"] };
  assert.deepEqual(stop, { ability: "stop", ...may });
  assert.ok(abilities.every(({ roles }) => roles.includes("operator")));
});
