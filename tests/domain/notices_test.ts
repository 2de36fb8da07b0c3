import assert from "node:assert/strict";
import {
  concerns,
  isCollected,
  messageOf,
  mostUrgentFirst,
  NOTICE_TOPICS,
  retryMs,
} from "../../src/notifications/rules/notices.ts";

const SECOND = 1_000;

Deno.test("an operator gets everything of the topics, an account only its own", () => {
  for (const topic of NOTICE_TOPICS) {
    for (const accountId of [null, 1, 2]) {
      const notice = { topic, accountId };
      const topics = [topic];
      assert.equal(concerns({ accountId: null, topics }, notice), true);
      assert.equal(concerns({ accountId: 1, topics }, notice), accountId === 1);
      const others = NOTICE_TOPICS.filter((one) => one !== topic);
      assert.equal(concerns({ accountId: null, topics: others }, notice), false);
      assert.equal(concerns({ accountId: 1, topics: others }, notice), false);
    }
  }
});

Deno.test("a burst is collected for 10 s after its last notice, and 60 s at most", () => {
  for (let lastAtMs = 0; lastAtMs <= 90 * SECOND; lastAtMs += SECOND) {
    for (let nowMs = lastAtMs; nowMs <= 120 * SECOND; nowMs += SECOND) {
      const isDue = nowMs - lastAtMs >= 10 * SECOND || nowMs >= 60 * SECOND;
      assert.equal(isCollected({ firstAtMs: 0, lastAtMs, nowMs }), isDue);
    }
  }
  // A clock that was set back.
  assert.equal(isCollected({ firstAtMs: 5, lastAtMs: 9, nowMs: 4 }), true);
});

Deno.test("tries come after 15 s, then half as often, and at least every 5 minutes", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7, 1e9].map((failures) => retryMs(failures) / SECOND), [
    ...[15, 30, 60, 120, 240],
    ...[300, 300, 300],
  ]);
});

Deno.test("no flood of an account's own notices hides an alert", () => {
  const notice = (
    title: string,
    about: Pick<Parameters<typeof concerns>[1], "topic" | "accountId">,
  ) => ({
    ...{ title, text: "x".repeat(300), createdAtMs: 0 },
    ...about,
  });
  const flood = (["payouts", "approvals", "security"] as const).flatMap((topic) =>
    Array.from({ length: 600 }, (_, i) => notice(`${topic} ${i}`, { topic, accountId: 1 }))
  );
  const notices = mostUrgentFirst([
    ...flood,
    notice("webhook disabled", { topic: "alerts", accountId: 1 }),
    notice("row tampered", { topic: "alerts", accountId: null }),
  ]);
  const { subject, text } = messageOf(notices, { link: null });
  assert.match(subject, /^CPG: row tampered and 1801 more$/);
  assert.match(text, /row tampered[^]*webhook disabled[^]*security 0[^]*security 1/);
  assert.deepEqual(notices.filter(({ topic }) => topic === "payouts"), flood.slice(0, 600));
});

Deno.test("a message has one line for its subject, says what doesn't fit, and fits Telegram", () => {
  const notice = { title: "A\nB", text: "why\r\nnot", createdAtMs: 0 };
  assert.deepEqual(messageOf([notice], { link: "https://pay.example.com/dashboard" }), {
    subject: "CPG: A B",
    text: "1970-01-01 00:00:00 UTC  A B\nwhy not\n\nhttps://pay.example.com/dashboard",
  });
  const payout = { ...notice, title: "Payout of 5,000 USDT waits for you: payout 7 on ETH" };
  const failed = { ...notice, title: "Payout of 5,000 USDT failed: payout 7 on ETH" };
  const texts = [[failed], [payout], [payout, notice]].map((notices) =>
    messageOf(notices, { link: "https://pay.example.com/dashboard" }).text.split("\n").slice(2)
  );
  const page = "https://pay.example.com/dashboard/withdrawals/7";
  assert.deepEqual(texts, [[page], [page], [
    page,
    "",
    "1970-01-01 00:00:00 UTC  A B",
    "why not",
    "",
    "https://pay.example.com/dashboard",
  ]]);
  const proposal = { ...notice, title: "Proposal 3 waits for you: x" };
  const { text } = messageOf([proposal], { link: "https://pay.example.com/dashboard" });
  assert.match(text, /\nhttps:\/\/pay\.example\.com\/dashboard\/inbox#proposal-3$/);
  for (const size of [1, 10, 500, 5_000]) {
    const long = { title: "💶".repeat(size), text: "é".repeat(size), createdAtMs: 0 };
    for (const count of [1, 2, 10, 1_000]) {
      const { subject, text } = messageOf(Array(count).fill(long), { link: null });
      assert.ok(subject.length + text.length + 2 <= 4_096, `${size} × ${count}`);
      assert.ok(subject.isWellFormed() && text.isWellFormed());
      const shown = text.match(/ UTC {2}/g)?.length ?? 0;
      const more = Number(/… and (\d+) more$/.exec(text)?.[1] ?? 0);
      assert.equal(shown + more, count);
      assert.equal(/ and (\d+) more$/.exec(subject)?.[1], count > 1 ? `${count - 1}` : undefined);
    }
  }
});
