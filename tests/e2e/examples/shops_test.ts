import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { addSource } from "../../../src/rates/manage.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, setBalance } from "../../support/payers.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { hasProgram } from "../../support/programs/needed.ts";
import { startWorld, type World } from "../../support/world.ts";

const EXAMPLES = new URL("../../../docs/examples/", import.meta.url).pathname;
const PAYEE = "0x00000000000000000000000000000000000A11cE";
const COIN = { network: "ETH", currency: "ETH" };

const SHOPS = [["python3", "python/shop.py"], ["php", "php/shop.php"]] as const;

interface Entry {
  readonly id: number;
}

for (const [program, file] of SHOPS) {
  Deno.test({
    name: `the guide's shop in ${program} is paid, refunds once, and explains its ledger`,
    ignore: !await hasProgram(program),
    fn: async () => {
      await using anvil = await startAnvil();
      await using world = await startWorld({ anvil, minConfirmations: 1 });
      await prepare(world, anvil);
      const folder = await Deno.makeTempDir({ prefix: "cpg-shop-" });
      const { keyId, secret } = world.merchant.credentials;
      const shop = async (...words: string[]) => {
        const { stdout, stderr } = await new Deno.Command(program, {
          args: [EXAMPLES + file, ...words],
          cwd: folder,
          env: { CPG_URL: world.url, CPG_KEY_ID: keyId, CPG_SECRET: secret },
        }).output();
        assert.equal(new TextDecoder().decode(stderr), "");
        return JSON.parse(new TextDecoder().decode(stdout));
      };
      await sell(shop, { world, anvil, folder });
      await Deno.remove(folder, { recursive: true });
    },
  });
}

async function prepare({ deps, merchant }: World, anvil: Anvil): Promise<void> {
  const { accountId, hotWallet } = merchant;
  const price = { base: "ETH", quote: "EUR", kind: "manual", value: "2000" } as const;
  await addSource(deps, { ...price, actor: "test" });
  await setBalance(anvil, hotWallet, 10n * ETHER);
  const start = { amount: "1", note: "what it begins with", actor: "test" };
  await adjustBalance(deps, { accountId, ...COIN, ...start });
}

async function sell(
  // deno-lint-ignore no-explicit-any -- what the shop prints
  shop: (...words: string[]) => Promise<any>,
  { world: { merchant: { api } }, anvil, folder }: { world: World; anvil: Anvil; folder: string },
): Promise<void> {
  const { order, pay_at } = await shop("order", "Two tickets", "25");
  assert.match(await (await fetch(pay_at)).text(), /Two tickets/);
  const { body: chosen } = await api.post("/v1/invoices/1/methods", COIN);
  const payment = { from: anvil.accounts[0], to: chosen.data.methods[0].address };
  await anvil.rpc("eth_sendTransaction", [{
    ...payment,
    value: `0x${(ETHER / 80n).toString(16)}`,
  }]);
  await Deno.mkdir(`${folder}/events`);
  assert.deepEqual(await shop("events"), { [order]: "open" });
  await eventually(async () => {
    await anvil.mine(1);
    return (await api.get("/v1/invoices/1")).body.data.status;
  }, { until: (status) => status === "paid" });
  const { body: { data: [event] } } = await api.get("/v1/events");
  const saved = `${folder}/events/${event.id}.json`;
  await Deno.writeTextFile(saved, JSON.stringify(event));
  assert.deepEqual(await shop("events"), { [order]: "paid" });
  await assert.rejects(Deno.stat(saved));
  const refund = ["refund", order, "ETH", "ETH", "0.005", PAYEE];
  const { withdrawal_id } = await shop(...refund);
  assert.equal((await shop(...refund)).id, withdrawal_id);
  await eventually(async () => {
    await anvil.mine(1);
    return (await api.get(`/v1/withdrawals/${withdrawal_id}`)).body.data.status;
  }, { until: (status) => status === "confirmed" });
  const { body: { data: entries } } = await api.get("/v1/ledger");
  const night = await shop("reconcile");
  assert.deepEqual(
    night.unexplained.map(({ id }: Entry) => id),
    entries.filter(({ kind }: { kind: string }) => kind === "adjust").map(({ id }: Entry) => id),
  );
  assert.ok(entries.length > 1);
  if ("wrong_sums" in night) assert.deepEqual(night.wrong_sums, []);
}
