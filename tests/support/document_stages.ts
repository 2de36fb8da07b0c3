import { type Anvil, startAnvil } from "./nodes/anvil.ts";
import { type ApiClient, apiClient } from "./api_client.ts";
import type { DocumentShell } from "./document_shell.ts";
import { eventually } from "./programs/eventually.ts";
import { lastingPort } from "./programs/ports.ts";
import { startReceiver } from "./programs/receiver.ts";

/** What a document assumes: values of its placeholders, and events between its commands. */
export interface Stage extends AsyncDisposable {
  readonly words: Record<string, string>;
  readonly scenes: Readonly<Record<string, () => Promise<void>>>;
}

const ETHER = "0xde0b6b3a7640000";

/** By the document's path; others need nothing. */
export const STAGES: Readonly<Record<string, (shell: DocumentShell) => Promise<Stage>>> = {
  "docs/operate.md": stageOperation,
  "docs/invoices.md": stageAccount,
  "docs/webhooks.md": stageWebhooks,
  "docs/manage.md": stageAccount,
  "docs/examples/README.md": stageExamples,
  "docs/restore.md": stageRestore,
  "docs/bitcoin.md": stageBitcoin,
};

export function setEmptyStage(shell: DocumentShell): Promise<Stage> {
  return Promise.resolve(makeStage(shell, {}));
}

function makeStage(
  { port }: DocumentShell,
  { words = {}, scenes = {}, close = async () => {} }: {
    words?: Record<string, string>;
    scenes?: Stage["scenes"];
    close?: () => Promise<void>;
  },
): Stage {
  const all = { "127.0.0.1:8080": `127.0.0.1:${port}`, ...words };
  return { words: all, scenes, [Symbol.asyncDispose]: close };
}

async function stageOperation(shell: DocumentShell): Promise<Stage> {
  const node = await startAnvil({ args: ["--chain-id", "1"] });
  const otherNode = await startAnvil({ args: ["--chain-id", "5555"] });
  const words = {
    "https://your-node.example": node.url,
    "https://your-other-node.example": otherNode.url,
    "0xYourOwnWallet": node.accounts[2]!,
    "--deploy on": "--deploy on --yes",
  };
  const fundGasWallet = async () => {
    const printed = await shell.run("deno task -q cpg network gas-wallet ETH --json 2> /dev/null");
    await pay(node, JSON.parse(printed).address);
    await node.mine(1);
  };
  const scenes = { "fund the gas wallet": fundGasWallet };
  const close = async () => void await Promise.all([node.stop(), otherNode.stop()]);
  return makeStage(shell, { words, scenes, close });
}

async function stageAccount(shell: DocumentShell): Promise<Stage> {
  await shell.run("deno task cpg migrate; deno task cpg account create --name Acme");
  return makeStage(shell, {});
}

async function stageWebhooks(shell: DocumentShell): Promise<Stage> {
  await shell.run("deno task cpg migrate; deno task cpg account create --name Acme");
  const receiver = startReceiver();
  const words = { "http://127.0.0.1:9000/hook": receiver.url };
  const close = async () => await receiver[Symbol.asyncDispose]();
  return makeStage(shell, { words, close });
}

function stageExamples(shell: DocumentShell): Promise<Stage> {
  const port = lastingPort();
  const words = { "127.0.0.1:9000": `127.0.0.1:${port}`, "deno run": `PORT=${port} deno run` };
  return Promise.resolve(makeStage(shell, { words }));
}

async function stageRestore(shell: DocumentShell): Promise<Stage> {
  const node = await startAnvil();
  const backups = await Deno.makeTempDir({ prefix: "cpg-backups-" });
  const { api, hotWallet } = await setUpMerchant(shell, node);
  const words = {
    "/backups": backups,
    "0xYourOwnWallet": node.accounts[2]!,
    "0xHotWallet": hotWallet,
    "--from-block 19000000": "--from-block 1",
  };
  const loseDatabase = async () => {
    await shell.start("deno task start");
    const { body: { data } } = await api.post("/v1/deposit-addresses", ASSET);
    await pay(node, data.address);
    const order = { ...ASSET, to_address: node.accounts[1], amount: "0.5" };
    const sent = await api.post("/v1/withdrawals", order);
    if (sent.status !== 200) throw new Error(JSON.stringify(sent.body));
    stage.words["0xHash"] = sent.body.data.tx_hash;
    await node.mine(3);
    await shell.stop();
    await shell.run("rm data/cpg.db data/cpg.db-*");
  };
  const readToTip = async () => {
    const tip = Number(await node.rpc("eth_blockNumber"));
    const heights = async () => {
      const answer = await fetch(`http://127.0.0.1:${shell.port}/readyz`);
      const { networks } = await answer.json();
      return networks[0].scanned_to;
    };
    await eventually(heights, { until: (height) => height >= tip });
  };
  const close = async () => {
    await node.stop();
    await Deno.remove(backups, { recursive: true });
  };
  const scenes = { "lose the database": loseDatabase, "read to the tip": readToTip };
  const stage = makeStage(shell, { words, scenes, close });
  return stage;
}

/** Its node is started by the document itself. */
async function stageBitcoin(shell: DocumentShell): Promise<Stage> {
  const home = await Deno.makeTempDir({ prefix: "cpg-home-" });
  const words = { "$HOME/cpg-litecoin": `${home}/litecoin`, "19443": String(lastingPort()) };
  const close = async () => {
    const args = [`-datadir=${home}/litecoin`, "stop"];
    await new Deno.Command("litecoin-cli", { args, stdout: "null", stderr: "null" }).output();
    await Deno.remove(home, { recursive: true });
  };
  return await Promise.resolve(makeStage(shell, { words, close }));
}

const ASSET = { network: "ETH", currency: "ETH" };

async function setUpMerchant(
  shell: DocumentShell,
  node: Anvil,
): Promise<{ api: ApiClient; hotWallet: string }> {
  const asset = "--account 1 --network ETH --currency ETH";
  await shell.run(`deno task cpg migrate
deno task cpg network add --code ETH --family evm --rpc-url ${node.url} --min-confirmations 1
deno task cpg account create --name Acme
deno task cpg account adjust ${asset} --amount 10 --note float`);
  const asked = async (command: string) =>
    JSON.parse(await shell.run(`deno task -q cpg ${command} --json 2> /dev/null`));
  const { hot_wallet: hotWallet } = await asked(`account enable ${asset}`);
  const key = await asked("key create --account 1 --label shop --permissions all");
  await pay(node, hotWallet);
  const credentials = { keyId: key.key_id, secret: key.secret };
  return { api: apiClient(`http://127.0.0.1:${shell.port}`, credentials), hotWallet };
}

async function pay({ accounts, rpc }: Anvil, to: string): Promise<void> {
  await rpc("eth_sendTransaction", [{ from: accounts[0], to, value: ETHER }]);
}
