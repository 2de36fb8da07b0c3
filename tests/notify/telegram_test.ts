import assert from "node:assert/strict";
import { createTelegramSender } from "../../src/notifications/senders/telegram.ts";
import { startRawReceiver, startReceiver } from "../support/programs/receiver.ts";

const NOTE = { to: "1", id: "1", subject: "A test", text: "A test" };

Deno.test("what Telegram says is understood, and reported if it is a refusal", async () => {
  await using api = startReceiver();
  const send = createTelegramSender({ token: "secret", api: new URL(api.url).origin });
  api.answer = () => Response.json({ ok: true, result: {} });
  await send(NOTE);
  const refusal = { ok: false, description: "Bad Request: chat not found" };
  api.answer = () => Response.json(refusal, { status: 400 });
  await assert.rejects(
    send(NOTE),
    /^Error: Telegram answered HTTP 400 Bad Request: chat not found$/,
  );
  api.answer = () => new Response(null, { status: 502 });
  await assert.rejects(send(NOTE), /^Error: Telegram answered HTTP 502$/);
});

Deno.test("of an answer without end only the beginning is read", async () => {
  let written = 0;
  await using api = startRawReceiver(async (conn) => {
    await conn.read(new Uint8Array(4096));
    await conn.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\n\r\n"));
    for (;;) written += await conn.write(new Uint8Array(64 * 1024).fill(32));
  });
  const send = createTelegramSender({ token: "secret", api: new URL(api.url).origin });
  await assert.rejects(send(NOTE), /^Error: Telegram answered HTTP 200$/);
  assert.ok(written < 32 * 1024 * 1024, `${written} bytes went into the socket's buffers`);
});
