import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { closeAlert, insertAlert, insertNotice, raiseAlert } from "../../../src/books/alerts.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { addReceiver } from "../../../src/notifications/manage_receivers.ts";
import { remindOfAlerts } from "../../../src/notifications/remind.ts";
import { sendDueNotices } from "../../../src/notifications/send_due.ts";
import { alertRead } from "../../../src/books/alerts.ts";
import { NOTICE_TOPICS, type NoticeTopic } from "../../../src/notifications/rules/notices.ts";
import { createMailSender } from "../../../src/notifications/senders/mail.ts";
import { createTelegramSender } from "../../../src/notifications/senders/telegram.ts";
import { noticeReceivers } from "../../../src/notifications/reads/notices.ts";
import { makeMerchant, startGateway, type TestGateway } from "../../support/gateway.ts";
import { startMailSink } from "../../support/programs/mail_sink.ts";
import { lastingPort } from "../../support/programs/ports.ts";

const MINUTE_MS = 60_000;
const TO = "ops@example.com";

let gateway: TestGateway;
Deno.test.beforeAll(async () => {
  gateway = await startGateway({ CPG_WORKER: "false", CPG_WEBHOOK_ALLOW_PRIVATE: "true" });
});
Deno.test.afterAll(() => gateway.stop());

interface Stage {
  readonly deps: Deps;
  /** Time passes, and what is due is sent. */
  later(ms: number): Promise<void>;
}

function stageOf(port: number): Stage {
  let nowMs = Date.now();
  const email = createMailSender({
    url: `smtp://127.0.0.1:${port}`,
    from: "CPG <cpg@example.com>",
  });
  const send = { email, telegram: undefined };
  const deps = {
    ...gateway.deps,
    clock: { ...gateway.deps.clock, nowMs: () => nowMs },
    notes: { send, link: "https://pay.example.com/dashboard" },
  };
  const later = async (ms: number) => {
    nowMs += ms;
    await sendDueNotices(deps);
  };
  return { deps, later };
}

function addMail(deps: Deps, { to = TO, accountId = null as number | null } = {}) {
  const asked = { kind: "email", address: to, accountId, topics: NOTICE_TOPICS } as const;
  return addReceiver(deps, { ...asked, actor: "test" });
}

async function removeAll(): Promise<void> {
  await gateway.deps.db.execute([{ sql: "DELETE FROM notice_receivers" }]);
}

let subjects = 0;
function silent() {
  return { kind: "network_silent", subject: `net${++subjects}`, message: "No answer" } as const;
}

Deno.test("an alert is in the mail when it opens, once a day while it is open, and when it closes", async () => {
  await using sink = await startMailSink();
  const { deps, later } = stageOf(sink.port);
  await addMail(deps);
  const alert = silent();
  await raiseAlert(deps, alert);
  await later(9_000);
  assert.equal(sink.mails.length, 0);
  await later(2_000);
  const [mail] = sink.mails;
  assert.deepEqual(mail!.to, [TO]);
  assert.equal(mail!.headers.get("subject"), "CPG: Alert: No answer");
  assert.equal(mail!.headers.get("from"), "CPG <cpg@example.com>");
  assert.match(
    mail!.text,
    /No answer \(network silent, net\d+\)\s+https:\/\/pay\.example\.com\/dashboard/,
  );
  await later(23 * 60 * MINUTE_MS);
  await remindOfAlerts(deps);
  await later(MINUTE_MS);
  assert.equal(sink.mails.length, 1);
  await later(60 * MINUTE_MS);
  for (let i = 0; i < 3; i++) await remindOfAlerts(deps);
  await later(MINUTE_MS);
  assert.match(sink.mails[1]!.headers.get("subject")!, /^CPG: Still open: No answer/);
  await deps.db.write({
    reads: [alertRead(alert.kind, alert.subject)],
    decide: (view) => closeAlert(view, { ...alert, nowMs: deps.clock.nowMs() }),
  });
  await later(MINUTE_MS);
  assert.match(sink.mails[2]!.headers.get("subject")!, /^CPG: Resolved: No answer/);
  await later(25 * 60 * MINUTE_MS);
  await remindOfAlerts(deps);
  await later(MINUTE_MS);
  assert.equal(sink.mails.length, 3);
  await removeAll();
});

Deno.test("one is reminded of an alert however many older ones are open", async () => {
  const { deps, later } = stageOf(0);
  const older = Array.from({ length: 500 }, silent);
  const alert = silent();
  const noticesOf = async () => {
    const [row] = await deps.db.query(
      "SELECT count(*) AS n FROM notices WHERE title LIKE ? AND text LIKE ?",
      [
        ...["Still open: %", `%, ${alert.subject})`],
      ],
    );
    return row!.n;
  };
  await deps.db.write({
    reads: older.map(({ kind, subject }) => alertRead(kind, subject)),
    decide: (view) => older.map((one) => insertAlert(view, { ...one, nowMs: deps.clock.nowMs() })),
  });
  await later(60 * MINUTE_MS);
  await raiseAlert(deps, alert);
  await later(23 * 60 * MINUTE_MS);
  await remindOfAlerts(deps);
  assert.equal(await noticesOf(), 0);
  await later(60 * MINUTE_MS);
  await remindOfAlerts(deps);
  assert.equal(await noticesOf(), 1);
  await deps.db.execute([{ sql: "UPDATE alerts SET open = NULL, resolved_at_ms = created_at_ms" }]);
});

Deno.test("after an hour without the mail server everything arrives, once", async () => {
  const port = lastingPort();
  const { deps, later } = stageOf(port);
  await addMail(deps);
  const alerts = Array.from({ length: 12 }, silent);
  for (const alert of alerts) {
    await raiseAlert(deps, alert);
    await later(5 * MINUTE_MS);
  }
  const [failing] = await noticeReceivers(deps.db);
  assert.match(failing!.lastError!, /ECONNREFUSED|Connection/i);
  await using sink = await startMailSink({ port });
  for (let i = 0; i < 6; i++) await later(5 * MINUTE_MS);
  const text = sink.mails.map((mail) => mail.text).join("\n");
  for (const { subject } of alerts) {
    assert.equal(text.split(`, ${subject})`).length - 1, 1, subject);
  }
  const ids = sink.mails.map(({ headers }) => headers.get("message-id"));
  assert.equal(new Set(ids).size, ids.length);
  const [healthy] = await noticeReceivers(deps.db);
  assert.deepEqual([healthy!.failures, healthy!.failingSinceMs, healthy!.lastError], [
    0,
    null,
    null,
  ]);
  await removeAll();
});

Deno.test("what waits for a decision is a mail of its own, before the rest, and only once", async () => {
  let isStrict = true;
  await using sink = await startMailSink({
    refuses: ({ headers }) => isStrict && / signed in /.test(headers.get("subject") ?? ""),
  });
  const { deps, later } = stageOf(sink.port);
  await addMail(deps);
  const notice = (topic: NoticeTopic, title: string) =>
    deps.db.write({
      reads: [],
      decide: (view) => insertNotice(view, { topic, title, nowMs: deps.clock.nowMs() }),
    });
  const waits = "Payout of 5,000 USDT waits for you: payout 7 on ETH";
  await notice("security", "ops@example.com signed in from 127.0.0.1");
  await notice("security", "bo@example.com signed in from 127.0.0.1");
  await notice("approvals", waits);
  await later(11_000);
  await later(MINUTE_MS);
  assert.deepEqual(sink.mails.map(({ headers }) => headers.get("subject")), [`CPG: ${waits}`]);
  assert.doesNotMatch(sink.mails[0]!.text, /signed in/);
  assert.match(sink.mails[0]!.text, /dashboard\/withdrawals\/7/);
  isStrict = false;
  await later(5 * MINUTE_MS);
  assert.deepEqual(sink.mails.slice(1).map(({ headers }) => headers.get("subject")), [
    "CPG: ops@example.com signed in from 127.0.0.1 and 1 more",
  ]);
  const ids = sink.mails.map(({ headers }) => headers.get("message-id"));
  assert.equal(new Set(ids).size, 2);
  await notice("approvals", "Payout of 1 ETH waits for you: payout 8 on ETH");
  await notice("approvals", "Payout of 2 ETH waits for you: payout 9 on ETH");
  await later(11_000);
  assert.match(
    sink.mails[2]!.headers.get("subject")!,
    /^CPG: Payout of 1 ETH waits .* and 1 more$/,
  );
  await later(MINUTE_MS);
  assert.equal(sink.mails.length, 3);
  await removeAll();
});

Deno.test("a thousand alerts within a minute are one message", async () => {
  await using sink = await startMailSink();
  const { deps, later } = stageOf(sink.port);
  await addMail(deps);
  for (let i = 0; i < 50; i++) {
    await Promise.all(Array.from({ length: 20 }, () => raiseAlert(deps, silent())));
    await later(1_000);
  }
  assert.equal(sink.mails.length, 0);
  await later(10_000);
  assert.equal(sink.mails.length, 1);
  assert.match(sink.mails[0]!.headers.get("subject")!, / and 999 more$/);
  await later(MINUTE_MS);
  assert.equal(sink.mails.length, 1);
  await removeAll();
});

Deno.test("after a crash between sending and noting it, the same message is sent again", async () => {
  await using sink = await startMailSink();
  const { deps, later } = stageOf(sink.port);
  await addMail(deps);
  await raiseAlert(deps, silent());
  const email = deps.notes.send.email!;
  const sendAndDie: typeof email = async (note) => {
    await email(note);
    throw new Error("killed");
  };
  const dying = {
    ...deps,
    notes: { ...deps.notes, send: { email: sendAndDie, telegram: undefined } },
  };
  await later(5_000);
  await later(4_000);
  const soon = { ...dying, clock: { ...deps.clock, nowMs: () => deps.clock.nowMs() + 5_000 } };
  await sendDueNotices(soon);
  await raiseAlert(deps, silent());
  await later(MINUTE_MS);
  const [first, second] = sink.mails;
  assert.equal(first!.headers.get("message-id"), second!.headers.get("message-id"));
  assert.equal(first!.text, second!.text);
  await later(MINUTE_MS);
  assert.equal(sink.mails.length, 3);
  await removeAll();
});

Deno.test("an account hears of what concerns it, and of nothing else", async () => {
  await using sink = await startMailSink();
  const { deps, later } = stageOf(sink.port);
  const mine = await makeMerchant(gateway, { name: "Mine" });
  const other = await makeMerchant(gateway, { name: "Other" });
  await addMail(deps, { to: "mine@example.com", accountId: mine.accountId });
  const key = { permissions: ["read_balance" as never], ipList: [], rateLimit: 1, actor: "test" };
  await createApiKey(deps, { ...key, accountId: other.accountId, label: "theirs" });
  await raiseAlert(deps, silent());
  await createApiKey(deps, { ...key, accountId: mine.accountId, label: "ours" });
  await raiseAlert(deps, { ...silent(), accountId: mine.accountId, message: "our own" });
  await later(MINUTE_MS);
  const [mail] = sink.mails;
  assert.match(mail!.text, /Check the new API key "ours"/);
  assert.match(mail!.text, /our own/);
  assert.doesNotMatch(mail!.text, /theirs|No answer/);
  await removeAll();
});

Deno.test("Telegram and a webhook get the same, and a token is never shown", async () => {
  const bodies: { path: string; body: string; headers: Headers }[] = [];
  let status = 200;
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname: path } = new URL(request.url);
      bodies.push({ path, body: await request.text(), headers: request.headers });
      const ok = status === 200;
      return Response.json({ ok, description: ok ? undefined : "chat not found" }, { status });
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const { deps: base } = stageOf(9);
  const token = "123:secret_secret_secret_secret";
  const telegram = createTelegramSender({ token, api: url });
  const later = (ms: number) => ({
    ...base,
    clock: { ...base.clock, nowMs: () => base.clock.nowMs() + ms },
    notes: { send: { email: undefined, telegram }, link: null },
  });
  const deps = later(0);
  const asked = { accountId: null, topics: NOTICE_TOPICS, actor: "test" };
  const { row: chat, secret: none } = await addReceiver(deps, {
    ...asked,
    kind: "telegram",
    address: "42",
  });
  const { secret } = await addReceiver(deps, { ...asked, kind: "webhook", address: `${url}/hook` });
  assert.equal(none, null);
  const alert = silent();
  await raiseAlert(deps, alert);
  await sendDueNotices(later(MINUTE_MS));
  const message = JSON.parse(bodies.find(({ path }) => path === `/bot${token}/sendMessage`)!.body);
  assert.equal(message.chat_id, "42");
  assert.match(message.text, /No answer/);
  const hook = bodies.find(({ path }) => path === "/hook")!;
  new Webhook(secret!).verify(hook.body, Object.fromEntries(hook.headers));
  const { type, data: { count, notices: [notice] } } = JSON.parse(hook.body);
  assert.deepEqual([type, count, notice.text, notice.account_id], [
    ...["notification", 1, `No answer (network silent, ${alert.subject})`, null],
  ]);
  status = 400;
  await raiseAlert(deps, silent());
  await sendDueNotices(later(3 * MINUTE_MS));
  const failing = (await noticeReceivers(deps.db)).find(({ id }) => id === chat.id)!;
  assert.equal(failing.lastError, "Telegram answered HTTP 400 chat not found");
  status = 200;
  await sendDueNotices(later(5 * MINUTE_MS));
  const [, refused, again, ...more] = bodies.filter(({ path }) => path === "/hook");
  assert.equal(again!.headers.get("webhook-id"), refused!.headers.get("webhook-id"));
  assert.equal(again!.body, refused!.body);
  assert.deepEqual(more, []);
  new Webhook(secret!).verify(again!.body, Object.fromEntries(again!.headers));
  const dead = createTelegramSender({ token, api: "http://127.0.0.1:9" });
  await assert.rejects(dead({ to: "42", id: "x", subject: "", text: "" }), (error: Error) => {
    assert.ok(!error.message.includes(token));
    return true;
  });
  await removeAll();
});
