import { connectEvm } from "../../src/chains/evm/mod.ts";
import { type Anvil, askNode, startAnvil } from "../support/nodes/anvil.ts";
import { fund, makeWallet } from "../support/nodes/evm_wallet.ts";
import { setBalance } from "../support/payers.ts";
import { type Bench, type Figure, perSecond } from "./figure.ts";
import { makeInstallation } from "./installation.ts";
import { SERVE, startLoad, startProgram } from "./processes.ts";

const PAYMENTS = 500;
const CONNECTIONS = 64;
const SECONDS = 2;
const TO = "0x000000000000000000000000000000000000bEEF";

export const PAYOUT_FIGURE: Figure = {
  name: "POST /v1/withdrawals to the pool, one hot wallet",
  limit: "eth_sendRawTransaction of payments signed before",
  unit: "payments/s",
  must: 0.3,
  beyond: 0.6,
  prepare,
};

/** Sign, save, broadcast and record, on a chain that mines a block a second. */
async function prepare(rounds: number): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const node = stack.use(await startAnvil({ args: ["--block-time", "1"] }));
  const installation = stack.use(await makeInstallation({ rpcUrl: node.url }));
  await setBalance(node, installation.hotWallet, 10n ** 24n);
  const { env, key } = installation;
  const gateway = stack.use(
    await startProgram({ args: SERVE, env }),
  );
  const load = stack.use(startLoad());
  const payments = await signAll(node, PAYMENTS * (rounds + 1));
  const order = {
    port: gateway.port,
    connections: CONNECTIONS,
    seconds: SECONDS,
    method: "POST",
    target: "/v1/withdrawals",
    key,
    body: JSON.stringify({
      network: "ETH",
      currency: "ETH",
      to_address: TO,
      amount: "0.001",
      client_reference: "#",
    }),
  } as const;
  const send = async () => {
    for (const raw of payments.splice(0, PAYMENTS)) {
      await askNode(node.url, { method: "eth_sendRawTransaction", params: [raw] });
    }
  };
  const all = stack.move();
  return {
    limit: async () => ({ perSecond: await perSecond(PAYMENTS, send) }),
    ours: () => load.run(order),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** From a wallet of its own, so that neither waits for the other. */
async function signAll(node: Anvil, length: number): Promise<string[]> {
  const wallet = makeWallet(1);
  await fund(node, wallet.address);
  const chain = connectEvm({ rpcUrls: [node.url] });
  const payment = { wallet, to: TO, contract: null, amountRaw: 1n };
  const preflight = await chain.prepareTransfer({ from: wallet.address, ...payment });
  if (preflight.kind === "refused") throw new Error(preflight.reason);
  const nonces = Array.from({ length }, (_, nonce) => nonce);
  const { prepared } = preflight;
  const all = nonces.map((nonce) => chain.signTransfer(prepared, { nonce, signer: wallet.signer }));
  return (await Promise.all(all)).map(({ raw }) => raw);
}
