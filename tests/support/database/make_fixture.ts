import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { loadMigrations } from "../../../src/store/upkeep/migration_files.ts";
import { startAnvil } from "../nodes/anvil.ts";
import { eventually } from "../programs/eventually.ts";
import { STRANGER } from "../payers.ts";
import { allocate, depositsOf, withdraw, withdrawalOf } from "../views.ts";
import { startWorld } from "../world.ts";

/**
 * Writes what a database of the present migrations looks like, with money that moved, for tests of
 * every later one. To be run when a migration has landed: deno run -P=test tests/support/database/make_fixture.ts
 */
async function makeFixture(): Promise<string> {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { deps, merchant } = world;
  const { api, accountId, hotWallet } = merchant;
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(deps, { ...asset, amount: "5", note: "opening", actor: "test" });
  await setReceivingWallet(deps, {
    accountId,
    network: "ETH",
    address: STRANGER,
    actor: "test",
  });
  const value = `0x${(10n ** 18n).toString(16)}`;
  const pool = await allocate(api);
  const sticky = await allocate(api, { user: "customer ž" });
  for (const to of [hotWallet, hotWallet, hotWallet, pool.address, sticky.address]) {
    await anvil.rpc("eth_sendTransaction", [{ from: anvil.accounts[0], to, value }]);
  }
  const paid = (await withdraw(api, { to: STRANGER, amount: "1.5", reference: "w1" })).body.data;
  await anvil.mine(5);
  await eventually(() => depositsOf(api), {
    until: (rows) => rows.length === 2 && rows.every(({ status }) => status !== "detected"),
  });
  await eventually(() => withdrawalOf(api, paid.withdrawal_id), {
    until: ({ status }) => status === "confirmed",
  });
  // Far too little, so this one failed.
  await withdraw(api, { to: STRANGER, amount: "4", reference: "w2" });
  const lines: string[] = [];
  const tables = await deps.db.query(
    `SELECT name FROM sqlite_master
WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'libsql_%'
ORDER BY name`,
  );
  for (const { name } of tables) {
    const columns = await deps.db.query(`SELECT name FROM pragma_table_info('${name}')`);
    const all = columns.map((column) => column.name).join(", ");
    const [row] = await deps.db.query(
      `SELECT json_group_array(json_array(${all})) AS rows FROM ${name}`,
    );
    lines.push(JSON.stringify({ table: name, columns: all, rows: JSON.parse(String(row!.rows)) }));
  }
  return `${lines.join("\n")}\n`;
}

if (import.meta.main) {
  const folder = new URL("../../store/fixtures/", import.meta.url);
  await Deno.mkdir(folder, { recursive: true });
  const state = (await loadMigrations()).map(({ version }) => version).join("-");
  await Deno.writeTextFile(new URL(`migrations-${state}.jsonl`, folder), await makeFixture());
}
