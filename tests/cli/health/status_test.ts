import assert from "node:assert/strict";
import { NoticeReceivers } from "../../../src/alerts/table.ts";
import { checkUse } from "../../../src/app/diagnose/diagnose.ts";
import { problemsOf, statusShape, statusText } from "../../../src/cli/health/status.ts";
import { Amount } from "../../../src/domain/money/amount.ts";
import { NO_SCREEN } from "../../../src/operations/screen/screen.ts";
import { noteBackup } from "../../../src/restore/note_backup.ts";
import { cannotPay, type GatewayStatus } from "../../../src/upkeep/report_status.ts";
import type { WalletLook } from "../../../src/wallets/look.ts";
import { makeCli } from "../cli_host.ts";
import { runIn } from "../world_host.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { setBalance } from "../../support/payers.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { makeStage, noteTest } from "../../support/stage.ts";

const eth = (text: string) => Amount.parse(text, "ETH/ETH");

function makeLook(
  { held, needed, level, isOwed = true, haltedReason = null }: {
    held?: string;
    needed: string;
    level: WalletLook["level"];
    isOwed?: boolean;
    haltedReason?: string | null;
  },
): WalletLook {
  const row = { network: "ETH", accountId: 1, purpose: "hot", address: "0x1", haltedReason };
  const stock = {
    symbol: "ETH",
    held: held === undefined ? undefined : eth(held),
    needed: eth(needed),
    target: eth("0"),
    isWanted: true,
    isOwed,
    level,
  };
  return { row, network: {}, level, stocks: [stock] } as unknown as WalletLook;
}

function makeStatus(changes: Partial<GatewayStatus> = {}): GatewayStatus {
  return {
    ...{
      noWrites: null,
      instances: 1,
      stop: undefined,
      networks: [],
      wallets: [],
      isCut: false,
      freezes: [],
    },
    ...{ openAlerts: 0, alerts: [], approvals: [], deaf: [], backup: undefined, nowMs: 1_000_000 },
    ...changes,
  };
}

Deno.test("a wallet can't pay if it is halted, empty with money owed, or short of its payments", () => {
  const cases = [
    [{ held: "1", needed: "0", level: "halted" }, true],
    [{ held: "0", needed: "0", level: "empty" }, true],
    [{ held: "0", needed: "0", level: "empty", isOwed: false }, false],
    [{ held: "1", needed: "2", level: "low" }, true],
    [{ held: "2", needed: "2", level: "low" }, false],
    [{ needed: "2", level: "unknown" }, false],
    [{ held: "3", needed: "2", level: "ok" }, false],
  ] as const;
  for (const [look, expected] of cases) {
    assert.equal(cannotPay(makeLook(look)), expected, JSON.stringify(look));
  }
});

Deno.test("status names each impairment, and nothing else is one", () => {
  const cursor = { network: "ETH", haltedReason: "two forks", updatedAtMs: 940_000 };
  const networks = (health: string, stalledAtMs: number | null = null) =>
    [{ cursor, health, stalledAtMs }] as unknown as GatewayStatus["networks"];
  const freeze = { accountId: 1, network: "ETH", currency: "USDT", reason: "1 is missing" };
  const freezes = [freeze] as unknown as GatewayStatus["freezes"];
  const short = makeLook({ held: "1", needed: "2", level: "low" });
  const halted = makeLook({ needed: "0", level: "halted", haltedReason: "used elsewhere" });
  const cases: [Partial<GatewayStatus>, string[]][] = [
    [{ openAlerts: 3, networks: networks("ok") }, []],
    [{ noWrites: "the disk of /data is full" }, [
      "The database takes no writes: the disk of /data is full",
    ]],
    [{ instances: 0, networks: networks("silent") }, [
      "No server is running, or none can write to the database",
    ]],
    [{ stop: { id: 1, reason: null, stoppedAtMs: 0 } }, ["All signing is stopped"]],
    [{ stop: { id: 1, reason: "a leak", stoppedAtMs: 0 } }, ["All signing is stopped: a leak"]],
    [{ networks: networks("halted") }, ["ETH is halted: two forks"]],
    [
      { networks: networks("ok", 0) },
      ["The newest block of ETH is from 1970-01-01T00:00:00+00:00"],
    ],
    [{ networks: networks("silent", 0) }, ["No node of ETH has answered for 60 s"]],
    [{ freezes }, ["Withdrawals of ETH/USDT are paused for account 1: 1 is missing"]],
    [{ wallets: [halted] }, ["The hot wallet of account 1 on ETH is halted: used elsewhere"]],
    [{ wallets: [short] }, [
      "The hot wallet of account 1 on ETH can't pay: it holds 1 ETH and needs 2",
    ]],
    [{ wallets: [makeLook({ held: "0", needed: "0", level: "empty" })] }, [
      "The hot wallet of account 1 on ETH can't pay: it holds no ETH",
    ]],
  ];
  for (const [changes, expected] of cases) {
    assert.deepEqual(problemsOf(makeStatus(changes)), expected);
  }
});

Deno.test("status shows the age of the last backup in words", () => {
  const ageOf = (seconds: number) => {
    const backup = { file: "/backups/a.db", atMs: 1_000_000 - 1000 * seconds };
    const text = statusText(statusShape(makeStatus({ backup }), []), NO_SCREEN);
    return /last backup: +(.*)/.exec(text)?.[1];
  };
  assert.equal(ageOf(59), "59 seconds ago: /backups/a.db");
  assert.equal(ageOf(7_199), "119 minutes ago: /backups/a.db");
  assert.equal(ageOf(7_200), "2 hours ago: /backups/a.db");
  assert.equal(ageOf(3 * 86_400), "3 days ago: /backups/a.db");
});

Deno.test("status exits with 0 while all is right and with 1 while payments are impaired", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  await world.round();
  const run = async (...words: string[]) => await runIn(world, ["status", ...words]);
  const fine = await run("--json");
  const shape = JSON.parse(fine.out);
  assert.deepEqual([fine.code, shape.ok, shape.problems], [0, true, []], fine.out);
  assert.deepEqual([shape.stopped, shape.frozen, shape.last_backup], [false, [], null]);
  assert.equal(shape.networks[0].state, "ok");
  assert.equal(shape.wallets[0].state, "ok");
  await noteBackup(deps, { file: "/backups/b.db", actor: "test" });
  const text = (await run()).out;
  assert.match(text, /^OK: payments and credits work\.\n/);
  assert.match(text, /^last backup: +\d+ seconds ago: \/backups\/b\.db$/m);
  await deps.db.write({
    reads: [],
    decide: (view) => {
      noteTest(view);
      view.insert(NoticeReceivers, {
        ...{ kind: "telegram", address: "7", accountId: null, topics: ["alerts"], readTo: 0 },
        ...{ secretName: "x", secretSealed: null, sendingTo: null, failures: 3, nextTryAtMs: 0 },
        ...{ failingSinceMs: 0, lastError: "chat not found", createdAtMs: 0, decidedTo: null },
      });
    },
  });
  const deaf = await run("--json");
  const [{ notify_id, last_error }] = JSON.parse(deaf.out).failing_notifications;
  assert.deepEqual([deaf.code, notify_id, last_error], [0, 1, "chat not found"]);
  const finding = (await checkUse(deps.db)).find(({ check }) => check === "notifications");
  assert.equal(
    finding?.message,
    "Notification 1 by telegram has failed since 1970-01-01T00:00:00+00:00: chat not found",
  );
  await makeStage(world).haltedNetwork();
  await setBalance(anvil, world.merchant.hotWallet, 0n);
  const impaired = await run();
  assert.equal(impaired.code, 1);
  assert.match(impaired.out, /^Impaired:\n- ETH is halted: /);
});

Deno.test("a backup is noted in the database that was copied, not in the copy", async () => {
  await using cli = await makeCli();
  const folder = await Deno.makeTempDir({ prefix: "cpg-noted-" });
  const file = `${folder}/backup.db`;
  await cli.json("backup", file);
  const { out } = await cli.run(["status", "--json"]);
  assert.equal(JSON.parse(out).last_backup.file, file);
  const [row] = await cli.json("audit", "list", "--subject", "backup");
  assert.deepEqual([row.actor, row.action, row.detail], ["cli", "backup.made", { file }]);
  await Deno.remove(folder, { recursive: true });
});
