import assert from "node:assert/strict";
import { createMailSender } from "../../src/notifications/senders/mail.ts";
import { startRawReceiver } from "../support/programs/receiver.ts";

Deno.test("a mail server that always says a little more, and never all, is given up", async () => {
  const closed = Promise.withResolvers<void>();
  await using server = startRawReceiver(async (conn) => {
    const say = (line: string) => conn.write(new TextEncoder().encode(`${line}\r\n`));
    await say("220 mail.shop.example");
    await conn.read(new Uint8Array(4096));
    try {
      for (;;) {
        await say("250-one moment");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    } catch {
      closed.resolve();
    }
  });
  const url = `smtp://127.0.0.1:${new URL(server.url).port}`;
  const send = createMailSender({ url, from: "CPG <cpg@shop.example>" }, { wholeMs: 300 });
  await assert.rejects(
    send({ to: "me@shop.example", id: "1", subject: "A test", text: "A test" }),
    /^Error: the mail server took longer than 0\.3 s$/,
  );
  await closed.promise;
});
