import { systemClock } from "../../base/clock.ts";
import { deadlineIn, OutOfTime } from "../../base/waiting/deadline.ts";
import { trySocket } from "../../chains/evm/head_socket.ts";
import { NodeError } from "../../chains/faults.ts";
import { createChains } from "../../chains/registry.ts";
import { aboutCoins, isTestNetwork } from "../../networks/rules/test_networks.ts";
import type { Finding } from "../../operations/host.ts";
import { createCatalogSource } from "../../store/engine/catalog.ts";
import type { Db } from "../../store/engine/db.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { checkClock } from "./clock.ts";

const ANSWER_MS = 6_000;
const chains = createChains({ timeoutMs: ANSWER_MS });

/** Asks each node by itself, and what time they think it is. */
export async function checkNodes(db: Db): Promise<Finding[]> {
  const { networks } = await createCatalogSource(db, systemClock).current();
  const active = networks.filter(({ isActive }) => isActive);
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
  return [...nodes.flat(), ...tests, clock];
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
async function askSocket({ code, chainId }: NetworkRow, url: string): Promise<Finding> {
  const check = `socket of ${code}`;
  const { host } = new URL(url);
  const why = await trySocket({ url, chainId, clock: systemClock, withinMs: ANSWER_MS });
  if (why === null) {
    return { check, state: "ok", message: `${host} pushes new heads`, advice: null };
  }
  const advice = `nodes are asked as usual; "network set ${code} --ws-url URL" names another`;
  return { check, state: "warning", message: `${host}: ${why}`, advice };
}

async function askNode(network: NetworkRow, url: string): Promise<Finding> {
  const check = `node of ${network.code}`;
  const { host } = new URL(url);
  const deadline = deadlineIn(ANSWER_MS);
  try {
    const chain = chains.unverified({ family: network.family, rpcUrls: [url] });
    const { chainId, genesisHash } = await deadline.race(chain.identity());
    const isOther = chainId !== network.chainId ||
      network.genesisHash !== null && genesisHash !== network.genesisHash;
    if (isOther) return onOtherChain(network, { check, host, chainId });
    const { height } = await deadline.race(chain.tip());
    return { check, state: "ok", message: `${host} answers, at block ${height}`, advice: null };
  } catch (error) {
    if (!(error instanceof NodeError || error instanceof OutOfTime)) throw error;
    const message = error.message.includes(host) ? error.message : `${host}: ${error.message}`;
    const advice = `check the node; "network set ${network.code} --rpc-url URL" names others`;
    return { check, state: "failed", message, advice };
  } finally {
    deadline.cancel();
  }
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
