import assert from "node:assert/strict";
import { EVENT_TYPES } from "../../../src/webhooks/rules/events.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { startReceiver, verify } from "../../support/programs/receiver.ts";
import { writeEvents } from "../../support/webhooks.ts";
import { type Answer, makeCli } from "../cli_host.ts";

const LIVE = { CPG_WEBHOOK_ALLOW_PRIVATE: "true" };

Deno.test("a webhook's secret is shown when it is added and rotated, and never again", async () => {
  await using cli = await makeCli();
  await cli.json("account", "create", "--name", "Acme");
  const url = "https://shop.example.com/cpg";
  const { secret, ...shown } = await cli.json("webhook", "add", "--account", "1", "--url", url);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.deepEqual(shown, {
    webhook_id: 1,
    account_id: 1,
    url,
    events: [...EVENT_TYPES],
    enabled: true,
    disabled_reason: null,
    failures: 0,
    paused_until: null,
    old_secret_until: null,
    created_at: shown.created_at,
  });
  assert.deepEqual(await cli.json("webhook", "list"), [shown]);
  const rotated = await cli.json("webhook", "rotate", "1");
  assert.match(rotated.secret, /^whsec_/);
  assert.notEqual(rotated.secret, secret);
  assert.notEqual(rotated.old_secret_until, null);
  const { out } = await cli.run(["webhook", "list"]);
  assert.ok(!out.includes("whsec_"));
  assert.equal((await cli.json("webhook", "remove", "1")).webhook_id, 1);
  assert.deepEqual(await cli.json("webhook", "list", "--account", "1"), []);
});

Deno.test("a second webhook to the same address is added with a warning, another account's without", async () => {
  await using cli = await makeCli();
  for (const name of ["Acme", "Other"]) await cli.json("account", "create", "--name", name);
  const add = async (account: string, url: string) => {
    const words = ["webhook", "add", "--account", account, "--url", url];
    const { code, err } = await cli.run(words);
    assert.equal(code, 0, err);
    return err.split("\n").slice(1).join("");
  };
  assert.equal(await add("1", "https://shop.example.com/cpg"), "");
  assert.match(await add("1", "https://SHOP.example.com/cpg"), /^Webhook 1 sends there too.*twice/);
  assert.equal(await add("1", "https://shop.example.com/cpg2"), "");
  assert.equal(await add("2", "https://shop.example.com/cpg"), "");
});

Deno.test("webhook add checks event types, account and URL, and warns of private targets", async () => {
  await using cli = await makeCli();
  await cli.json("account", "create", "--name", "Acme");
  const add = (...rest: string[]) => ["webhook", "add", "--account", "1", ...rest];
  const url = "https://shop.example.com/";
  const { events } = await cli.json(
    ...add("--url", url, "--events", "withdrawal.failed, deposit.confirmed"),
  );
  assert.deepEqual(events, ["withdrawal.failed", "deposit.confirmed"]);
  assert.match(await cli.fails(2, ...add("--url", url, "--events", "deposit.lost")), /all or a/);
  assert.match(
    await cli.fails(1, "webhook", "add", "--account", "9", "--url", url),
    /no account 9/,
  );
  for (
    const wrong of [
      "https://user:pass@shop.example.com/",
      "ftp://shop.example.com/",
      "shop",
    ]
  ) assert.match(await cli.fails(1, ...add("--url", wrong)), /cannot be sent/);
  // Delivery refuses it instead, because another server's settings may allow it (contract 4).
  for (
    const doubtful of [
      "http://shop.example.com/",
      "https://127.0.0.1/",
      "https://0x7f000001/",
      "https://[::1]/",
    ]
  ) {
    const { code, out, err } = await cli.run(add("--url", doubtful));
    assert.equal(code, 0, out);
    assert.match(out + err, /Nothing will be sent there/);
  }
  assert.match(await cli.fails(1, "webhook", "rotate", "9"), /no webhook 9/);
  assert.match(await cli.fails(2, "webhook", "remove", "x"), /is not a webhook id/);
});

Deno.test("webhook test sends a signed ping, shows the answer and sets the exit code", async () => {
  await using receiver = startReceiver();
  await using cli = await makeCli(LIVE);
  await cli.json("account", "create", "--name", "Acme");
  const { secret } = await cli.json("webhook", "add", "--account", "1", "--url", receiver.url);
  receiver.answer = () => new Response("thanks");
  const { latency_ms, event_id, ...answer } = await cli.json("webhook", "test", "1");
  assert.deepEqual(answer, {
    webhook_id: 1,
    url: receiver.url,
    delivered: true,
    status: 200,
    error: null,
    response: "thanks",
  });
  assert.ok(latency_ms >= 0);
  verify(secret, receiver.received[0]!);
  assert.equal(receiver.received[0]!.event.type, "ping");
  assert.equal(receiver.received[0]!.id, event_id);
  receiver.answer = () => new Response(null, { status: 500 });
  const { code, out } = await cli.run(["webhook", "test", "1", "--json"]);
  assert.deepEqual([code, JSON.parse(out).error], [1, "HTTP 500"]);
});

Deno.test("webhook trigger sends a sample of a type, shows the answer and sets the exit code", async () => {
  await using receiver = startReceiver();
  await using cli = await makeCli(LIVE);
  await cli.json("account", "create", "--name", "Acme");
  const { secret } = await cli.json("webhook", "add", "--account", "1", "--url", receiver.url);
  const trigger = ["webhook", "trigger", "1", "--type", "withdrawal.failed"];
  const { latency_ms: _, event_id, ...answer } = await cli.json(...trigger);
  assert.deepEqual(answer, {
    ...{ webhook_id: 1, url: receiver.url, delivered: true },
    ...{ status: 200, error: null, response: "ok" },
  });
  const [got] = receiver.received;
  verify(secret, got!);
  assert.deepEqual([got!.id, got!.event.type, got!.event.sample], [
    event_id,
    "withdrawal.failed",
    true,
  ]);
  receiver.answer = () => new Response(null, { status: 500 });
  assert.equal((await cli.run(trigger)).code, 1);
  assert.match(await cli.fails(2, "webhook", "trigger", "1"), /--type/);
  assert.match(await cli.fails(2, "webhook", "trigger", "1", "--type", "ping"), /one of deposit/);
  assert.match(
    await cli.fails(1, "webhook", "trigger", "9", "--type", "deposit.confirmed"),
    /no we/,
  );
});

Deno.test("a delivery refused for its private target names the variable that allows it", async () => {
  await using cli = await makeCli();
  await cli.json("account", "create", "--name", "Acme");
  const allows = "(CPG_WEBHOOK_ALLOW_PRIVATE=true allows it)";
  const refused = [
    ["http://127.0.0.1:9/hook", "it is not an https address"],
    ["https://127.0.0.1:9999/hook", "127.0.0.1 is not an address of the public internet"],
  ];
  for (const [i, [url, why]] of refused.entries()) {
    await cli.json("webhook", "add", "--account", "1", "--url", url!);
    const { out } = await cli.run(["webhook", "test", String(i + 1), "--json"]);
    assert.equal(JSON.parse(out).error, `not sent: ${why} ${allows}`);
  }
});

Deno.test("deliveries are listed by state, and sent again by id, by time or for being dead", async () => {
  await using cli = await makeCli(LIVE);
  await cli.json("account", "create", "--name", "Acme");
  const url = "http://127.0.0.1:9/hook";
  await cli.json("webhook", "add", "--account", "1", "--url", url);
  await cli.json("account", "create", "--name", "Other");
  for (const _ of [2, 3]) await cli.json("webhook", "add", "--account", "2", "--url", url);
  const { deps, close } = await openGateway(readConfig(cli.env));
  const nowMs = Date.parse("2026-01-31T12:00:00Z");
  await writeEvents(deps, { accountIds: [2, 2], nowMs: nowMs + 1 });
  await writeEvents(deps, { accountIds: [1], nowMs });
  await close();
  const listed = async (...flags: string[]) =>
    (await cli.json("webhook", "deliveries", ...flags)).map((one: Answer) => one.webhook_id);
  assert.deepEqual(await listed(), [1, 3, 2, 3, 2]);
  assert.deepEqual(await listed("--account", "2"), [3, 2, 3, 2]);
  assert.deepEqual(await listed("--account", "2", "--limit", "3"), [3, 2, 3]);
  assert.deepEqual(await listed("--account", "2", "--webhook", "2"), [2, 2]);
  assert.deepEqual(await listed("--account", "1", "--webhook", "2"), []);
  assert.deepEqual(await listed("--account", "1", "--state", "pending"), [1]);
  assert.match(await cli.fails(1, "webhook", "deliveries", "--account", "9"), /account 9/);
  const [row] = await cli.json("webhook", "deliveries", "--state", "pending");
  assert.deepEqual([row.webhook_id, row.type, row.state, row.attempts], [
    1,
    "deposit.confirmed",
    "pending",
    0,
  ]);
  assert.deepEqual(await cli.json("webhook", "deliveries", "--state", "dead"), []);
  assert.deepEqual(await cli.json("webhook", "attempts", row.event_id), []);
  const again = await cli.json("webhook", "redeliver", row.event_id);
  assert.deepEqual(again, { event_id: row.event_id, redelivered: 1 });
  const range = ["--from", "2026-01-31", "--to", "2026-01-31T12:00:00Z"];
  assert.deepEqual(await cli.json("webhook", "redeliver", ...range), { redelivered: 1 });
  assert.deepEqual(await cli.json("webhook", "redeliver", "--dead"), { redelivered: 0 });
  assert.match(await cli.fails(1, "webhook", "redeliver", "evt_none"), /no event/);
  assert.match(await cli.fails(2, "webhook", "redeliver"), /EVENT_ID/);
  assert.match(await cli.fails(2, "webhook", "redeliver", "--from", "2026-01-31"), /together/);
  assert.match(await cli.fails(2, "webhook", "redeliver", "--from", "soon", "--to", "x"), /time/);
});
