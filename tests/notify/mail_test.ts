import assert from "node:assert/strict";
import { createMailSender } from "../../src/notify/mail.ts";
import { startRawReceiver } from "../support/programs/receiver.ts";

Deno.test("a mail server that always says a little more, and never all, is given up", async () => {
  await using server = startRawReceiver(async (conn) => {
    for (;;) {
      await conn.write(new TextEncoder().encode("220-one moment\r\n"));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
  const url = `smtp://127.0.0.1:${new URL(server.url).port}`;
  const send = createMailSender({ url, from: "CPG <cpg@shop.example>" }, { wholeMs: 300 });
  await assert.rejects(
    send({ to: "me@shop.example", id: "1", subject: "A test", text: "A test" }),
    /^Error: the mail server took longer than 0\.3 s$/,
  );
});
