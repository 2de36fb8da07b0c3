import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { eventually } from "../../support/programs/eventually.ts";
import { lastingPort } from "../../support/programs/ports.ts";
import { hasProgram } from "../../support/programs/needed.ts";

const EXAMPLES = new URL("../../../docs/examples/", import.meta.url).pathname;
const SECRET = `whsec_${btoa("a secret of thirty-two bytes....")}`;

const HOOKS = [
  { program: "python3", argsFor: () => [`${EXAMPLES}python/hook.py`] },
  {
    program: "php",
    argsFor: (port: number) => ["-S", `127.0.0.1:${port}`, `${EXAMPLES}php/hook.php`],
  },
];

/** One of the receivers, which saves events in a folder of its own. */
async function startHook({ program, argsFor }: typeof HOOKS[number], secret: string) {
  const folder = await Deno.makeTempDir({ prefix: "cpg-hook-" });
  const port = lastingPort();
  const child = new Deno.Command(program, {
    args: argsFor(port),
    env: { CPG_WEBHOOK_SECRET: secret, EVENTS: folder, PORT: String(port) },
    stdout: "null",
    stderr: "null",
  }).spawn();
  const url = `http://127.0.0.1:${port}/hook`;
  const post = async (init: RequestInit): Promise<number> => {
    const answer = await fetch(url, { method: "POST", ...init });
    await answer.body?.cancel();
    return answer.status;
  };
  return {
    child,
    post,
    isUp: () => eventually(() => post({}).catch(() => 0), { until: (status) => status > 0 }),
    saved: async () =>
      (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).toSorted(),
    read: (name: string) => Deno.readTextFile(`${folder}/${name}`),
    [Symbol.asyncDispose]: async () => {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended.
      }
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** As the gateway sends it. */
function signed(
  event: { id: string; type: string },
  { at = new Date(), secret = SECRET } = {},
): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify(event);
  return {
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": event.id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": `v1,AAAA ${new Webhook(secret).sign(event.id, at, body)}`,
    },
  };
}

for (const hook of HOOKS) {
  const { program } = hook;
  const ignore = !await hasProgram(program, { tests: 2 });

  Deno.test({
    name: `the receiver in ${program} saves genuine events once, and nothing else`,
    ignore,
    fn: async () => {
      await using receiver = await startHook(hook, SECRET);
      const { post, saved } = receiver;
      await receiver.isUp();
      const paid = { id: "evt_1", type: "invoice.paid", data: { reference: "Grüße, 🌍" } };
      const genuine = signed(paid);
      const nowMs = Date.now();
      assert.equal(await post({ ...genuine, body: `${genuine.body} ` }), 401);
      assert.equal(await post(signed(paid, { at: new Date(nowMs - 400_000) })), 401);
      assert.equal(await post(signed(paid, { at: new Date(nowMs + 400_000) })), 401);
      assert.equal(await post(signed(paid, { secret: `whsec_${btoa("another")}` })), 401);
      assert.equal(await post({ body: genuine.body }), 401);
      for (const wrong of ["", "v1,", "é", "v2,AAAA"]) {
        const headers = { ...genuine.headers, "webhook-signature": wrong };
        assert.equal(await post({ ...genuine, headers }), 401);
      }
      for (const wrong of ["soon", "1e9", "9".repeat(5_000)]) {
        const headers = { ...genuine.headers, "webhook-timestamp": wrong };
        assert.equal(await post({ ...genuine, headers }), 401);
      }
      assert.deepEqual(await saved(), []);
      assert.equal(await post(signed({ ...paid, id: "evt_2", type: "ping" })), 204);
      assert.equal(await post(signed({ ...paid, id: "evt_3", ...{ sample: true } })), 204);
      assert.deepEqual(await saved(), []);
      assert.equal(await post(genuine), 204);
      assert.equal(await post(signed(paid)), 204);
      assert.deepEqual(await saved(), ["evt_1.json"]);
      assert.equal(await receiver.read("evt_1.json"), genuine.body);
    },
  });

  Deno.test({
    name: `the receiver in ${program} accepts nothing without a secret`,
    ignore,
    fn: async () => {
      await using receiver = await startHook(hook, "whsec_");
      if (program === "python3") return void assert.equal((await receiver.child.status).code, 1);
      await receiver.isUp();
      const { body, headers } = signed({ id: "evt_1", type: "invoice.paid" });
      const text = `evt_1.${headers["webhook-timestamp"]}.${body}`;
      const forged = `v1,${createHmac("sha256", "").update(text).digest("base64")}`;
      const init = { body, headers: { ...headers, "webhook-signature": forged } };
      assert.equal(await receiver.post(init), 500);
      assert.deepEqual(await receiver.saved(), []);
    },
  });
}
