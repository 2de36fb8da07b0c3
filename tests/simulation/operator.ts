import { cliOn } from "../cli/cli_host.ts";
import { Collecting } from "./collecting.ts";
import { isOrder, type MerchantBooks, placeOf, shown, units, withdrawalsOf } from "./books.ts";
import { type Ground, receiverFlags } from "./ground.ts";
import type { Random } from "./random.ts";
import { changeRule, limitOf, type Rule } from "./rules.ts";
import type { World } from "./seed.ts";

const DEEDS = [
  "stop",
  "rescan",
  "reconcile",
  "status",
  "lift",
  "verify",
  "suspend",
  "switch off",
  "limit",
  "limit",
  "receiver",
  "mode",
  "release",
  "stake",
] as const;
type Deed = typeof DEEDS[number] | "back up" | "restore" | "rotate";

/** Of a command that must work as soon as nothing is in its way. */
const TRIES_MAX = 150;
const MINUTE_MS = 60_000;
const UNUSED_KEYS = "200";
/** Blocks that a rescan reads once more. */
const BEFORE_BACKUP = 20;

interface Backup {
  readonly file: string;
  readonly atMs: number;
  readonly masterKey: string;
  readonly heights: ReadonlyMap<string, number>;
}

interface Given {
  readonly world: World;
  readonly merchants: readonly MerchantBooks[];
  readonly rules: readonly Rule[];
  breach(promise: string): void;
}

/** Who runs the gateway, by its command line. One deed after the other. */
export class Operator {
  readonly #given: Given;
  readonly #random: Random;
  /** What this seed has in mind, the first deed first. */
  readonly #plan: { readonly atMs: number; readonly deed: Deed }[] = [];
  readonly #collecting: Collecting;
  #backup: Backup | undefined;

  constructor(given: Given) {
    this.#given = given;
    const { time, options } = given.world;
    this.#random = given.world.random.fork();
    this.#collecting = new Collecting({
      random: this.#random.fork(),
      time,
      run: (...args) => this.#run(...args),
      insist: (...args) => this.#insist(...args),
    });
    const at = (deed: Deed, from: number, to: number) => {
      const percent = this.#random.between(from, to);
      this.#plan.push({ deed, atMs: time.nowMs + options.hours * 36_000 * percent });
    };
    if (this.#random.chance(0.4)) {
      at("back up", 10, 40);
      at("restore", 50, 85);
    }
    if (this.#random.chance(0.3)) at("rotate", 10, 85);
    this.#plan.sort((a, b) => a.atMs - b.atMs);
  }

  /** Most have their sweeps collected, and don't wait long with it. */
  async begin(): Promise<void> {
    const { time, story, grounds } = this.#given.world;
    if (this.#random.chance(0.2)) return;
    await time.sleep(this.#random.between(0, 5 * MINUTE_MS));
    story.tell("operator: begins to collect");
    for (const ground of grounds) await this.#collecting.begin(ground);
  }

  async work(): Promise<void> {
    const { world, rules, merchants } = this.#given;
    const { time, story, grounds } = world;
    const random = this.#random;
    const isDue = this.#plan[0] && this.#plan[0].atMs <= time.nowMs;
    const deed = isDue ? this.#plan.shift()!.deed : random.pick(DEEDS);
    story.tell(`operator: ${deed}`);
    const merchant = random.pick(merchants);
    const ground = random.pick(grounds);
    const { network } = ground;
    switch (deed) {
      case "stop":
        await this.#run("stop", "--reason", "looking");
        await time.sleep(random.between(1_000, 5 * MINUTE_MS));
        return void await this.#insist("resume");
      case "rescan": {
        const from = random.between(1, Math.max(1, ground.height - 1));
        return void await this.#run("rescan", "--network", network, "--from-block", String(from));
      }
      case "reconcile":
        return void await this.#run("reconcile");
      case "status":
        return void await this.#run("status");
      case "lift":
        await this.retry();
        return await this.lift();
      case "verify":
        return void await this.#run("audit", "verify");
      case "suspend":
        await this.#run("account", "suspend", merchant.account, "--reason", "looking");
        await time.sleep(random.between(1_000, 3 * MINUTE_MS));
        return void await this.#insist("account", "unsuspend", merchant.account);
      case "switch off":
        await this.#run("network", "set", network, "--active", "off");
        await time.sleep(random.between(1_000, 3 * MINUTE_MS));
        return void await this.#insist("network", "set", network, "--active", "on");
      case "limit": {
        const rule = random.pick(rules);
        return await this.#setLimit(rule, limitOf(rule.of, random));
      }
      case "receiver": {
        const receiver = ground.newReceiver(random);
        const place = placeOf(merchant, ground);
        place.receivers.add(ground.sweptTo(receiver));
        place.receiver = receiver;
        return await this.#setReceiver(merchant, { ground });
      }
      case "mode":
        return await this.#collecting.change(ground);
      case "release":
        return await this.#collecting.release(ground, merchant);
      case "stake":
        return await this.#collecting.changeStake(ground);
      case "back up":
        return await this.#backUp();
      case "restore":
        return await this.#restore();
      case "rotate":
        return await this.#rotate();
    }
  }

  /** Somebody is impatient with a payout that is in no block, or wants it back. */
  async push(): Promise<void> {
    const { world: { story } } = this.#given;
    const { out } = await this.#run("withdrawal", "list", "--status", "broadcasted");
    const rows = parsed(out);
    if (!Array.isArray(rows) || rows.length === 0) return;
    const { id } = this.#random.pick(rows);
    const how = this.#random.pick(["bump", "bump", "revoke", "resend"]);
    story.tell(`operator: ${how} payout ${id}`);
    await this.#run("withdrawal", how, String(id));
  }

  /** What waits for somebody's approval, after a restore, is not paid. */
  async turnDown(): Promise<void> {
    const { out } = await this.#run("approval", "list");
    const waiting = parsed(out);
    if (!Array.isArray(waiting)) return;
    for (const { withdrawal_id } of waiting) {
      await this.#run("withdrawal", "cancel", String(withdrawal_id));
    }
  }

  /**
   * Where books and chain differed, payouts are paused until somebody has looked. A reorganisation
   * takes a hot wallet's coins away for a while, too.
   */
  async lift(): Promise<void> {
    const { out } = await this.#run("account", "freezes");
    const paused = parsed(out);
    if (!Array.isArray(paused)) return;
    for (const { account_id, network, currency } of paused) {
      const at = ["--account", String(account_id), "--network", network, "--currency", currency];
      await this.#run("account", "unfreeze", ...at);
    }
  }

  /** What another try may mend. Most of it was a payment that somebody took back. */
  async retry(): Promise<void> {
    const { out } = await this.#run("sweep", "list", "--state", "parked");
    const parked = parsed(out);
    if (!Array.isArray(parked)) return;
    for (const { id } of parked) await this.#run("sweep", "retry", String(id));
  }

  async #run(...args: string[]): Promise<{ code: number; out: string }> {
    const { time, story, operator } = this.#given.world;
    const { code, out } = await time.withLoading(() => operator.run([...args, "--json"]));
    if (code !== 0) {
      story.tell(`operator: ${args.join(" ")} ends with ${code}: ${out.slice(0, 300)}`);
    }
    return { code, out };
  }

  /** Its answer may be lost, and it may have been done all the same. */
  async #insist(...args: string[]): Promise<string> {
    for (let tries = 1;; tries++) {
      const { code, out } = await this.#run(...args);
      if (code === 0) return out;
      if (tries === TRIES_MAX) throw new Error(`${args.join(" ")} never works: ${out}`);
      await this.#given.world.time.sleep(10_000);
    }
  }

  async #setLimit(rule: Rule, amount: string): Promise<void> {
    const { time } = this.#given.world;
    const { done } = changeRule(rule, { amount, nowMs: time.nowMs });
    await this.#insist("policy", "set", String(rule.id), "--limit", amount);
    done(time.nowMs);
  }

  /** The one that it has now, unless another one is said. */
  async #setReceiver(
    merchant: MerchantBooks,
    { ground, address = placeOf(merchant, ground).receiver }: { ground: Ground; address?: string },
  ): Promise<void> {
    await this.#insist(
      ...["account", "receiving-wallet", "--account", merchant.account],
      ...["--network", ground.network, ...receiverFlags(address), "--now"],
    );
  }

  async #backUp(): Promise<void> {
    const { world } = this.#given;
    const file = `${world.folder}/backup.db`;
    const heights = new Map(world.grounds.map(({ network, height }) => [network, height]));
    const atMs = world.time.nowMs;
    for (;;) {
      const { code } = await this.#run("backup", file);
      if (code === 0) break;
      removeFiles(world.folder, "backup.db");
      await world.time.sleep(MINUTE_MS);
    }
    this.#backup = { file, atMs, masterKey: String(world.env.CPG_MASTER_KEY), heights };
  }

  /** Every program gets the new key when it starts again. */
  async #rotate(): Promise<void> {
    const { world } = this.#given;
    const { master_key } = parsed(await this.#insist("rotate-master-key"));
    this.#useKey(master_key);
    await this.#withPrograms(async () => {
      for (const program of world.programs) {
        await program.stop();
        await program.startAgain(world);
      }
    });
    await this.#insist("rotate-master-key", "--finish");
  }

  #useKey(masterKey: string): void {
    const { world } = this.#given;
    world.env.CPG_MASTER_KEY = masterKey;
    world.operator = cliOn({ env: { ...world.env }, remove: () => Promise.resolve() });
  }

  /** Nobody else stops or starts them meanwhile. */
  async #withPrograms(work: () => Promise<void>): Promise<void> {
    const { world } = this.#given;
    world.areProgramsHeld = true;
    while (world.programs.some(({ isReady }) => !isReady)) await world.time.sleep(1_000);
    try {
      await work();
    } finally {
      world.areProgramsHeld = false;
    }
  }

  /** As docs/restore.md says, step by step. What was paid since the backup must not be paid again. */
  async #restore(): Promise<void> {
    const { world, merchants, rules } = this.#given;
    const { time, story, grounds } = world;
    const backup = this.#backup;
    if (!backup) return;
    const before = rules.map((rule) => rule.limits.at(-1)!.amount);
    await this.#withPrograms(async () => {
      for (const program of world.programs) program.kill();
      world.counts.restores++;
      story.tell(`the database is lost; the backup is ${(time.nowMs - backup.atMs) / 1000} s old`);
      this.#useKey(backup.masterKey);
      do {
        world.loseDatabase();
        // Time has to pass: ids are numbered by it.
        await time.sleep(10_000);
      } while ((await this.#run("restore", backup.file)).code !== 0);
      for (const rule of rules) {
        changeRule(rule, { amount: NO_LIMIT, nowMs: time.nowMs }).done(time.nowMs);
      }
      for (const merchant of merchants) {
        for (const [id, invoice] of merchant.invoices) {
          if (invoice.createdAtMs >= backup.atMs) merchant.invoices.delete(id);
          else if (invoice.cancelledAtMs >= backup.atMs) invoice.isCancelled = undefined;
        }
      }
      for (const program of world.programs) await program.startAgain(world);
    });
    for (const ground of grounds) {
      ground.restored();
      await this.#catchUp(ground, backup);
    }
    for (const [i, rule] of rules.entries()) await this.#setLimit(rule, before[i]!);
    for (const merchant of merchants) {
      for (const ground of grounds) await this.#setReceiver(merchant, { ground });
    }
    for (const ground of grounds) await this.#adopt(ground);
    await this.#run("reconcile");
    await this.#resumeWallets();
    for (const ground of grounds) await this.#collecting.again(ground);
    story.tell("operator: restored");
  }

  /** What was signed before the loss may be mined at any time, and has to be booked first. */
  async #resumeWallets(): Promise<void> {
    const { time, grounds } = this.#given.world;
    for (let tries = 1;; tries++) {
      const wallets = parsed(await this.#insist("wallet", "list"));
      const halted = wallets.filter((one: { halted_reason: unknown }) => one.halted_reason);
      if (halted.length === 0) return;
      if (tries === TRIES_MAX) throw new Error(`${JSON.stringify(halted)} are never resumed`);
      for (const { network, address } of halted) {
        await this.#run("wallet", "resume", "--network", network, "--address", address);
      }
      for (const ground of grounds) await this.#adopt(ground);
      await time.sleep(10_000);
    }
  }

  async #catchUp(ground: Ground, { atMs, heights }: Backup): Promise<void> {
    const { world: { time }, merchants } = this.#given;
    const { network, height } = ground;
    const at = ["--network", network];
    for (;;) {
      const listed = parsed(await this.#insist("network", "list"));
      const row = listed.find(({ code }: { code: string }) => code === network);
      if (row.scanned_to >= height) break;
      await time.sleep(5_000);
    }
    const recover = ["deposit", "recover", ...at, "--apply", "--count", UNUSED_KEYS];
    if (ground.keysShowOwners) await this.#insist(...recover);
    // Customers may still pay to what they were given.
    for (const merchant of merchants) {
      const { addresses } = placeOf(merchant, ground);
      for (const [same, issuedAtMs] of [...addresses]) {
        if (issuedAtMs < atMs) continue;
        const address = ground.written(same);
        if (ground.keysShowOwners) await this.#run(...recover, address);
        else if (!await this.#isRecovered([...recover, address, "--account", merchant.account])) {
          if (!ground.isOfReceiver?.(same)) throw new Error(`${address} is never found again`);
          // Nobody knows that it was given to somebody, and nobody here has its key.
          addresses.delete(same);
        }
      }
    }
    const from = Math.max(1, (heights.get(network) ?? 1) - BEFORE_BACKUP);
    await this.#insist("rescan", ...at, "--from-block", String(from));
  }

  /** Or the backup has it. */
  async #isRecovered(command: readonly string[]): Promise<boolean> {
    for (let tries = 1;; tries++) {
      const { code, out } = await this.#run(...command);
      if (code === 0 || out.includes("is in these books")) return true;
      if (out.includes("is not a lost deposit address")) return false;
      if (tries === TRIES_MAX) throw new Error(`${command.join(" ")} never works: ${out}`);
      await this.#given.world.time.sleep(10_000);
    }
  }

  /**
   * Gas explains itself, and sweeps do under the receiving wallet of their time; of payouts the
   * merchants know which ones they were.
   */
  async #adopt(ground: Ground): Promise<void> {
    const { merchants } = this.#given;
    const at = ["--network", ground.network];
    for (let tries = 1;; tries++) {
      const { code, out } = await this.#run("wallet", "adopt", ...at);
      if (code === 0) break;
      const rows = parsed(out);
      const left = (Array.isArray(rows) ? rows : []).filter(({ booked_as, amount }) =>
        booked_as === null && amount !== null
      );
      for (const spent of Map.groupBy(left, ({ tx_hash }) => tx_hash).values()) {
        const [row] = spent;
        const swept = merchants.find((one) =>
          placeOf(one, ground).receivers.has(ground.same(row.to_address))
        );
        if (swept) await this.#setReceiver(swept, { ground, address: row.to_address });
        else {
          await this.#adoptPayouts(ground, spent).catch((error) => {
            if (!(error instanceof TypeError)) throw error;
          });
        }
      }
      if (tries === TRIES_MAX) throw new Error(`wallet adopt never books everything: ${out}`);
      await this.#given.world.time.sleep(15_000);
    }
    for (const merchant of merchants) await this.#setReceiver(merchant, { ground });
  }

  async #adoptPayouts(ground: Ground, spent: readonly Spent[]): Promise<void> {
    const { merchants } = this.#given;
    const { tx_hash, from_address } = spent[0]!;
    const merchant = merchants.find((one) =>
      placeOf(one, ground).hotWallet === ground.same(from_address)
    );
    if (!merchant) return;
    const rows = await withdrawalsOf(merchant.api);
    const adopted: string[] = [];
    const terms = spent.flatMap((one) => {
      const payout = [...merchant.payouts.values()].find((payout) =>
        payout.network === ground.network && payout.currency === one.currency &&
        ground.same(payout.to) === ground.same(one.to_address) &&
        units(payout.amount) === units(one.amount) && !merchant.adopted.has(payout.reference) &&
        !adopted.includes(payout.reference)
      );
      if (!payout) {
        const what = `${shown(units(one.amount))} ${one.currency} to ${one.to_address}`;
        this.#given.breach(`${tx_hash} paid ${what}, which nobody had asked for`);
        return [];
      }
      const { reference } = payout;
      adopted.push(reference);
      const known = rows.find((row) =>
        (payout.isOnce ? isOrder(row, { payout, ground }) : row.client_reference === reference) &&
        row.status !== "failed" && row.status !== "cancelled"
      );
      const { output } = one;
      const what = known ? String(known.id) : payout.isOnce ? "new" : undefined;
      if (output !== null) {
        return ["--payout", `${output}=${what ?? `${merchant.keyId}/${reference}`}`];
      }
      return what === undefined
        ? ["--key", merchant.keyId, "--reference", reference]
        : ["--withdrawal", what];
    });
    if (adopted.length < spent.length) return;
    const { code } = await this.#run(
      ...["wallet", "adopt", tx_hash, "--network", ground.network, ...terms],
    );
    if (code === 0) { for (const reference of adopted) merchant.adopted.add(reference); }
  }
}

/** Nothing may be paid before the wallets are resumed, whatever the restored rules say. */
const NO_LIMIT = "1000000000";

interface Spent {
  readonly tx_hash: string;
  readonly from_address: string;
  /** Null if it paid only this. */
  readonly output: number | null;
  readonly to_address: string;
  readonly amount: string;
  readonly currency: string;
}

// deno-lint-ignore no-explicit-any -- each command has an answer of its own
function parsed(out: string): any {
  return JSON.parse(out);
}

export function removeFiles(folder: string, prefix: string): void {
  for (const { name } of [...Deno.readDirSync(folder)]) {
    if (name.startsWith(prefix)) Deno.removeSync(`${folder}/${name}`, { recursive: true });
  }
}
