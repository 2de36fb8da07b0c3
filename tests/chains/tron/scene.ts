import { fromHex } from "../../../src/base/bytes.ts";
import type { Reply } from "../../support/nodes/anvil.ts";
import type { TokenHandle, TronNode } from "../../support/tron_node/start.ts";
import { TRC20_ABI, type TronWallet, tronWallet } from "../../support/nodes/tron_web.ts";

export const TRX = 1_000_000n;
const USDT = { name: "Tether USD", symbol: "USDT", decimals: 6 };

/** Two people; the first one has coins. */
export function twoWallets(node: TronNode, sun = 100n * TRX) {
  const payer = tronWallet(node, "payer");
  const payee = tronWallet(node, "payee");
  node.fund(payer.address, sun);
  return { payer, payee };
}

/** The same with a token, of which the first one holds 1,000. */
export async function tokenScene(node: TronNode, manners: TokenHandle["manners"] | object = {}) {
  const wallets = twoWallets(node);
  const token = node.deployToken({ ...USDT, manners });
  token.mint(wallets.payer.address, 1_000_000_000n);
  const contract: Reply = await wallets.payer.web.contract(TRC20_ABI, token.address);
  return { ...wallets, token, contract };
}

/** The node's raw answer, without a client in between. */
export async function ask(node: { url: string }, path: string, body?: unknown): Promise<Reply> {
  return JSON.parse(await askText(node, path, body));
}

export async function askText(
  { url }: { url: string },
  path: string,
  body?: unknown,
): Promise<string> {
  const response = await fetch(
    `${url}${path}`,
    body === undefined ? {} : { method: "POST", body: JSON.stringify(body) },
  );
  return await response.text();
}

/** A payment signed by tronweb; the given fields replace its own. */
export async function signedPayment(
  node: TronNode,
  { from, to, sun = 1_000_000 }: { from: TronWallet; to: string; sun?: number },
  header: Record<string, unknown> = {},
): Promise<Reply> {
  const built = await from.web.transactionBuilder.sendTrx(to, sun, from.address, {
    blockHeader: { ...headerOf(node), ...header } as Reply,
  });
  return await from.web.trx.sign(built);
}

/** The block reference and times as the node gives them. */
export function headerOf(node: TronNode, block = node.solid) {
  return {
    ref_block_bytes: block.id.slice(12, 16),
    ref_block_hash: block.id.slice(16, 32),
    expiration: node.head.timestampMs + 600_000,
    timestamp: node.head.timestampMs,
  };
}

/** The answer, with its message in letters. */
export async function send(node: { url: string }, signed: unknown): Promise<Reply> {
  const answer = await ask(node, "/wallet/broadcasttransaction", signed);
  const message = new TextDecoder().decode(fromHex(answer.message ?? ""));
  return { ...answer, message };
}
