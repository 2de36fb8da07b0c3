import type { NoticeReceiverRow } from "../../alerts/table.ts";
import { type Config, ENV_NAMES, readConfig } from "../config/config.ts";
import { assertMasterKeyGiven, keyFilesOf, sharedKeyWarning } from "../config/master_key.ts";
import type { Env } from "../config/variables.ts";
import { checkClock } from "./clock.ts";
import { checkCosts } from "./costs.ts";
import { checkDatabase, type OpenedDatabase } from "./database.ts";
import { present } from "../../base/assert.ts";
import { systemClock } from "../../base/clock.ts";
import { deadlineIn, OutOfTime } from "../../base/waiting/deadline.ts";
import { NodeError } from "../../chains/faults.ts";
import { trySocket } from "../../chains/head_socket.ts";
import { createChains, familyOf } from "../../chains/registry.ts";
import { collectorRows, deploymentOf } from "../../collectors/reads.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { isoUtc } from "../../domain/time.ts";
import { parseMasterKey, type Vault } from "../../keys/vault.ts";
import { hidesLogin } from "../../networks/logins.ts";
import { NodeUrls } from "../../networks/node_urls.ts";
import { aboutCoins, isTestNetwork } from "../../networks/test_networks.ts";
import type { NetworkRow } from "../../networks/table.ts";
import { noticeReceivers, openAlertsOf } from "../../notifications/reads/notices.ts";
import type { Finding } from "../../operations/host.ts";
import { stepsFor } from "../../operations/words/advice.ts";
import { withNodeFaults } from "../../operations/words/node_faults.ts";
import { lastBackup } from "../../restore/note_backup.ts";
import { messageOf } from "../../store/connection/connect.ts";
import { factsOf, readSmallFile } from "../../store/connection/files_anywhere.ts";
import { createCatalogSource } from "../../store/engine/catalog.ts";
import type { Db } from "../../store/engine/db.ts";
import { followMasterKey, type VaultDeps } from "../../upkeep/follow_master_key.ts";
import { servingInstances } from "../../upkeep/membership.ts";
import { gasWalletOf } from "../../wallets/reads/addresses.ts";
import { webhookBacklog, webhookEndpoints } from "../../webhooks/reads/due.ts";
import type { WebhookEndpointRow } from "../../webhooks/tables/webhooks.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BACKUP_DAYS = 7;
const WEBHOOKS_SHOWN = 20;

const ANSWER_MS = 6_000;
const chains = createChains({ timeoutMs: ANSWER_MS });

const OTHERS = 0o077;

const CHECK = "configuration";

const CHECK_MS = 20_000;

/** Each check stands alone, so that one that fails, or hangs, doesn't hide the others. */
export async function diagnose(env: Env): Promise<Finding[]> {
  const { config, wrong, findings } = checkConfiguration(env);
  const isKeyWrong = wrong.includes("CPG_MASTER_KEY");
  const keyFile = isKeyWrong ? [] : await checked("key file", () => checkKeyFile(config));
  if (wrong.includes("CPG_DATABASE_URL") || wrong.includes("CPG_DATABASE_TOKEN")) {
    return [...findings, ...keyFile];
  }
  let opened: OpenedDatabase | undefined;
  try {
    const database = await checked("database", async () => {
      const found = await checkDatabase(config, { isKeyKnown: !isKeyWrong });
      opened = found.opened;
      return found.findings;
    });
    const { db, vault } = opened ?? {};
    const rest = db === undefined ? [] : await Promise.all([
      checked("nodes", () => checkNodes(db, vault)),
      checked("use", () => checkUse(db)),
      checked("costs", () => checkCosts(db, systemClock)),
    ]);
    return [...findings, ...keyFile, ...database, ...rest.flat()];
  } finally {
    await opened?.db.close();
  }
}

async function checked(check: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  const deadline = deadlineIn(CHECK_MS);
  try {
    return await deadline.race(work());
  } catch (error) {
    return [{ check, state: "failed", message: messageOf(error), advice: null }];
  } finally {
    deadline.cancel();
  }
}

interface Checked {
  /** With the default in place of each wrong value. */
  readonly config: Config;
  readonly wrong: readonly string[];
  readonly findings: readonly Finding[];
}

/** Finds every wrong value, where a start reports only the first. */
function checkConfiguration(env: Env): Checked {
  const left: Record<string, string | undefined> = { ...env };
  const faults = new Map<string, string>();
  for (;;) {
    try {
      const config = readConfig(left);
      return { config, wrong: [...faults.keys()], findings: findingsOf(config, faults) };
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      const name = ENV_NAMES.find((one) => error.message.startsWith(`${one} `));
      if (name === undefined || !left[name]) throw error;
      faults.set(name, error.message);
      delete left[name];
    }
  }
}

function findingsOf(config: Config, faults: ReadonlyMap<string, string>): Finding[] {
  const wrong = [...faults].map(([name, message]): Finding => ({
    check: CHECK,
    state: "failed",
    message,
    advice: `correct ${name}, or remove it to use its default`,
  }));
  const warnings = [
    ...config.warnings.map((message) => ({ message, advice: null })),
    ...config.isPrivateWebhookAllowed
      ? [{
        message: "Webhooks may be sent to private addresses (CPG_WEBHOOK_ALLOW_PRIVATE)",
        advice: "remove it unless this is a test: merchants can reach your own network with it",
      }]
      : [],
  ].map((warning): Finding => ({ check: CHECK, state: "warning", ...warning }));
  if (wrong.length + warnings.length > 0) return [...wrong, ...warnings];
  const set = config.given.join(", ");
  const message = set === "" ? "every setting has its default" : `set: ${set}`;
  return [{ check: CHECK, state: "ok", message, advice: null }];
}

async function checkKeyFile(config: Config): Promise<Finding[]> {
  const found = (state: Finding["state"], message: string, advice: string | null = null) => [
    { check: "key file", state, message, advice },
  ];
  if (config.masterKey) return found("ok", "the master key is in CPG_MASTER_KEY");
  assertMasterKeyGiven(config);
  const files = keyFilesOf(config);
  const facts = await Promise.all(files.map(factsOf));
  const at = facts.findIndex((one) => one !== undefined);
  const file = files[Math.max(at, 0)]!;
  if (at < 0) {
    const advice = 'put it back or set CPG_MASTER_KEY; for a new gateway, "serve" creates it';
    return found("failed", `${file} is missing`, advice);
  }
  const { mode } = facts[at]!;
  if (!parseMasterKey(await readSmallFile(file) ?? "")) {
    return found("failed", `${file} doesn't hold 32 bytes in base64 or hex`, "put the key back");
  }
  const shared = await sharedKeyWarning(config, file);
  if (shared !== undefined) return found("warning", shared);
  if ((mode & OTHERS) === 0) return found("ok", `only this user can read ${file}`);
  return found("warning", `${file} can be read by other users`, `chmod 600 ${file}`);
}

/** Asks each node by itself, and what time they think it is. */
async function checkNodes(db: Db, vault: Vault | undefined): Promise<Finding[]> {
  const { networks } = await createCatalogSource(db, systemClock).current();
  const asked = vault ? await withLogins(networks, { db, vault }) : networks;
  const active = asked.filter(({ isActive }) => isActive);
  if (active.length === 0) {
    const advice = '"network add --preset ETH --rpc-url URL" adds one';
    return [{ check: "nodes", state: "warning", message: "There is no active network", advice }];
  }
  const [nodes, clock] = await Promise.all([
    Promise.all(active.map(checkNetwork)),
    checkClock(active.flatMap(({ rpcUrls }) => rpcUrls)),
  ]);
  const tests = networks.filter(isTestNetwork).map((network): Finding => ({
    ...{ check: `network ${network.code}`, state: "ok", message: aboutCoins(network) },
    advice: null,
  }));
  const collectors = await Promise.all(active.map((network) => checkCollector(db, network)));
  return [...nodes.flat(), ...tests, ...collectors.flat(), clock];
}

async function withLogins(
  networks: readonly NetworkRow[],
  { db, vault }: VaultDeps,
): Promise<NetworkRow[]> {
  const followKey = () => followMasterKey({ db, vault });
  const nodeUrls = new NodeUrls({ vault, log: { error: () => {} }, followKey });
  await nodeUrls.open(networks);
  return networks.map((network) => nodeUrls.of(network));
}

/** What sweeps that share transactions need. */
async function checkCollector(db: Db, network: NetworkRow): Promise<Finding[]> {
  const { code, collect, rpcUrls, family } = network;
  if (collect === null || collect === "single") return [];
  const check = `collector of ${code}`;
  const advice = `"network collector ${code} --deploy on" deploys it`;
  const alone = "so sweeps are sent one by one";
  const found = (state: Finding["state"], message: string): Finding[] => [
    { check, state, message, advice: state === "ok" ? null : advice },
  ];
  const rows = await collectorRows(db, code);
  const deployed = await Promise.all(rows.map((row) => deploymentOf(db, row)));
  const row = rows.find((_, i) => deployed[i] !== undefined);
  const { collector } = chains.unverified({ family, rpcUrls });
  const deadline = deadlineIn(ANSWER_MS);
  try {
    if (!row) {
      const wallet = await gasWalletOf(db, code);
      if (!wallet || await deadline.race(collector!.knowsDelegations(wallet.address))) {
        return found("warning", `its mode is ${collect} and no contract is deployed, ${alone}`);
      }
      const message = `its mode is ${collect}, and its chain doesn't know EIP-7702 yet, ${alone}`;
      const instead = `"network set ${code} --collect single" says so too`;
      return [{ check, state: "warning", message, advice: instead }];
    }
    const [at] = await deadline.race(collector!.codeAt([row.address]));
    const isThere = at?.kind === "contract" && at.hash === row.codeHash;
    if (isThere) return found("ok", `its mode is ${collect}, and ${row.address} is deployed`);
    return found("warning", `${row.address} isn't the contract that was deployed, ${alone}`);
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof OutOfTime)) throw error;
    return [{
      check,
      state: "warning",
      message: withNodeFaults(error.message),
      advice: "check the node",
    }];
  } finally {
    deadline.cancel();
  }
}

async function checkNetwork(network: NetworkRow): Promise<Finding[]> {
  const [answers, sockets] = await Promise.all([
    Promise.all(network.rpcUrls.map((url) => askNode(network, url))),
    Promise.all((network.wsUrls ?? []).filter(Boolean).map((url) => askSocket(network, url))),
  ]);
  const isServed = answers.some(({ state }) => state === "ok");
  // One of several may be silent.
  const judged = answers.map((finding): Finding =>
    isServed && finding.state === "failed" ? { ...finding, state: "warning" } : finding
  );
  return [...judged, ...sockets];
}

/** Without one, nodes are asked as usual. */
async function askSocket(
  { code, chainId, family }: NetworkRow,
  url: string,
): Promise<Finding> {
  const check = `socket of ${code}`;
  const { host } = new URL(url);
  if (hidesLogin(url)) return loginUnknown(check, host);
  const open = present(familyOf(family).openHeadSocket, "Only such a family has sockets");
  const why = await trySocket(open, { url, chainId, clock: systemClock, withinMs: ANSWER_MS });
  if (why === null) {
    return { check, state: "ok", message: `${host} pushes new heads`, advice: null };
  }
  const advice = `nodes are asked as usual; "network set ${code} --ws-url URL" names another`;
  return { check, state: "warning", message: `${host}: ${why}`, advice };
}

async function askNode(network: NetworkRow, url: string): Promise<Finding> {
  const check = `node of ${network.code}`;
  const { host } = new URL(url);
  if (hidesLogin(url)) return loginUnknown(check, host);
  const deadline = deadlineIn(ANSWER_MS);
  try {
    const chain = chains.unverified({ family: network.family, rpcUrls: [url] });
    const { chainId, genesisHash } = await deadline.race(chain.identity());
    const isOther = chainId !== network.chainId ||
      network.genesisHash !== null && genesisHash !== network.genesisHash;
    if (isOther) return onOtherChain(network, { check, host, chainId });
    const { height } = await deadline.race(chain.tip());
    const { facts, warnings } = chain.about
      ? await deadline.race(chain.about())
      : { facts: [], warnings: [] };
    const answers = `${host} answers, at block ${height}`;
    const message = [answers, ...facts, ...warnings].join(", ");
    return warnings.length === 0
      ? { check, state: "ok", message, advice: null }
      : { check, state: "warning", message, advice: "wait until it has caught up, or update it" };
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof OutOfTime)) throw error;
    const said = withNodeFaults(error.message);
    const message = said.includes(host) ? said : `${host}: ${said}`;
    const advice = `check the node; "network set ${network.code} --rpc-url URL" names others`;
    return { check, state: "failed", message, advice };
  } finally {
    deadline.cancel();
  }
}

function loginUnknown(check: string, host: string): Finding {
  const message = `${host} isn't asked: its name and password can't be opened`;
  return { check, state: "warning", message, advice: "give the master key that sealed them" };
}

function onOtherChain(
  network: NetworkRow,
  { check, host, chainId }: { check: string; host: string; chainId: string },
): Finding {
  return {
    check,
    state: "failed",
    message: chainId === network.chainId
      ? `${host} is on another chain with the same id, ${chainId}`
      : `${host} is on chain ${chainId}, and ${network.code} is chain ${network.chainId}`,
    advice: `"network set ${network.code} --rpc-url URL" names the right nodes`,
  };
}

/** Whether it is served, backed up, and heard by its merchants. */
export async function checkUse(db: Db): Promise<Finding[]> {
  const nowMs = systemClock.nowMs();
  const [instances, backup, endpoints, backlog, receivers, gasMissing] = await Promise.all([
    servingInstances({ db, clock: systemClock }),
    lastBackup(db),
    webhookEndpoints(db, undefined),
    webhookBacklog(db),
    noticeReceivers(db),
    openAlertsOf(db, "gas_missing"),
  ]);
  return [
    checkServers(instances.length),
    checkBackup(backup && nowMs - backup.atMs),
    ...checkWebhooks(endpoints),
    ...checkNotifications(receivers),
    ...gasMissing.map(({ message, ...alert }): Finding => ({
      ...{ check: "gas", state: "warning", message, advice: stepsFor(alert) },
    })),
    ...checkBacklog(backlog.oldestAtMs === null ? 0 : nowMs - backlog.oldestAtMs),
  ];
}

function checkServers(count: number): Finding {
  const check = "server";
  return count > 0
    ? { check, state: "ok", message: `${count} running`, advice: null }
    : { check, state: "warning", message: "none is running", advice: '"serve" starts one' };
}

function checkBackup(ageMs: number | undefined): Finding {
  const days = Math.floor((ageMs ?? 0) / DAY_MS);
  if (ageMs !== undefined && days < BACKUP_DAYS) {
    const message = days === 0 ? "made within a day" : `${days} days old`;
    return { check: "backup", state: "ok", message, advice: null };
  }
  return {
    check: "backup",
    state: "warning",
    message: ageMs === undefined ? "none was made with this program" : `${days} days old`,
    advice: '"backup FILE" makes one while the server runs',
  };
}

function checkWebhooks(endpoints: readonly WebhookEndpointRow[]): Finding[] {
  const check = "webhooks";
  const silent = endpoints.filter((row) => row.disabledAtMs !== null || row.failures > 0);
  if (silent.length === 0) {
    return [{ check, state: "ok", message: `${endpoints.length}, none is failing`, advice: null }];
  }
  const shown = silent.slice(0, WEBHOOKS_SHOWN).map((row): Finding => {
    const name = `Webhook ${row.id} of account ${row.accountId}`;
    return row.disabledAtMs === null
      ? {
        ...{ check, state: "warning", message: `${name} failed ${row.failures} times in a row` },
        advice: `"webhook test ${row.id}" shows what it answers`,
      }
      : {
        ...{ check, state: "warning", message: `${name} is disabled: ${row.disabledReason}` },
        advice: `"webhook enable ${row.id}" or "webhook remove ${row.id}"`,
      };
  });
  const left = silent.length - shown.length;
  if (left === 0) return shown;
  const message = `${left} more are failing`;
  return [...shown, { check, state: "warning", message, advice: '"webhook list" shows them' }];
}

/** Those that work need no line, because there may be none at all. */
function checkNotifications(receivers: readonly NoticeReceiverRow[]): Finding[] {
  return receivers.filter(({ failingSinceMs }) => failingSinceMs !== null)
    .slice(0, WEBHOOKS_SHOWN)
    .map(({ id, kind, failingSinceMs, lastError }): Finding => ({
      check: "notifications",
      state: "warning",
      message: `Notification ${id} by ${kind} has failed since ${isoUtc(failingSinceMs ?? 0)}: ${
        lastError ?? "unknown"
      }`,
      advice: `"notify test ${id}" tries it`,
    }));
}

function checkBacklog(waitedMs: number): Finding[] {
  if (waitedMs < HOUR_MS) return [];
  return [{
    check: "webhooks",
    state: "warning",
    message: `The oldest undelivered event has waited for ${Math.floor(waitedMs / HOUR_MS)} h`,
    advice: '"webhook deliveries" shows why',
  }];
}
