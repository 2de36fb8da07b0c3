import { present } from "../../../src/base/assert.ts";
import { toHex, utf8 } from "../../../src/base/bytes.ts";
import { makeTronWallet } from "../nodes/tron_wallet.ts";
import { ownerOf, type Transaction } from "../../../src/sandbox/tron_node/transactions.ts";
import { hexAddress } from "../../../src/sandbox/tron_node/addresses.ts";
import { type Fault, startTronNode, type TronNode } from "../tron_node/start.ts";
import { USDT_ENERGY } from "../../../src/sandbox/tron_node/contracts/token.ts";
import type { Ground, Sending } from "./ground.ts";

const TRX = 1_000_000n;
/** Ten minutes of chain time, and then some until that stays. */
const BLOCKS_OF_A_LIFETIME = 201;

const FAULTS: Readonly<Record<Sending, Fault | undefined>> = {
  taken: undefined,
  reply_lost: { drop: "after" },
  lost: { drop: "before" },
  refused: {
    body: JSON.stringify({
      code: "CONTRACT_VALIDATE_ERROR",
      message: toHex(utf8("Contract validate error : refused")),
    }),
  },
};

export interface TronGround extends Ground {
  readonly node: TronNode;
}

export async function startTronGround(): Promise<TronGround> {
  const node = await startTronNode({ auto: "broadcast" });
  const sent: string[] = [];
  const orphaned = new Map<string, Transaction>();
  const stranger = makeTronWallet(901).address;
  // The account exists already, so payments to it activate nothing.
  node.fund(stranger, 1n);
  node.setBalance(stranger, 0n);
  const ground: TronGround = {
    node,
    code: "TRX",
    coin: { family: "tron", finality: "finalized", symbol: "TRX", decimals: 6 },
    chainId: BigInt(`0x${node.chain.blocks[0]!.id.slice(-8)}`).toString(),
    rpcUrl: node.url,
    minConfirmations: 20,
    stranger,
    receiver: makeTronWallet(902).address,
    misspelled: [
      stranger.slice(0, -1) + (stranger.endsWith("1") ? "2" : "1"),
      hexAddress(stranger),
      ` ${stranger}`,
    ],
    gasRaw: 50n * TRX,
    customer: node.bank,
    endReason: "expired",
    sent,
    onSending: () => "taken",
    mine: (blocks) => Promise.resolve(void node.produce(blocks)),
    mineBySelf: (isOn) => Promise.resolve(node.auto(isOn ? "broadcast" : "off")),
    pay: (to, raw) => Promise.resolve(node.pay(to, raw)),
    give: (address, raw) => Promise.resolve(node.setBalance(address, raw)),
    addToken: () => {
      const manners = { answers: "false", energy: USDT_ENERGY } as const;
      const token = node.deployToken({ name: "Tether USD", symbol: "USDT", decimals: 6, manners });
      token.mint(node.bank, 10n ** 15n);
      return Promise.resolve({
        address: token.address,
        mint: (to, raw) =>
          Promise.resolve(void node.trigger(token.address, token.transferData(to, raw))),
        balanceOf: (holder) => Promise.resolve(token.balanceOf(holder)),
        ban: (holder) => Promise.resolve(token.ban(holder)),
      });
    },
    coinsOf: (address) => Promise.resolve(node.balanceOf(address)),
    reorg: (depth) => {
      for (const { transactions } of node.chain.blocks.slice(-depth)) {
        for (const transaction of transactions) orphaned.set(transaction.txId, transaction);
      }
      node.reorg(depth, { transactions: "gone" });
      node.restart();
      return Promise.resolve();
    },
    reorgWith: (depth) => {
      node.reorg(depth, { transactions: "mined_again" });
      return Promise.resolve();
    },
    mineAgain: (hash) => {
      node.chain.take(present(orphaned.get(hash), "A reorganisation took it away"));
      node.produce();
      return Promise.resolve();
    },
    forget: () => Promise.resolve(node.restart()),
    outlast: () => {
      for (const { transaction } of [...node.pool]) node.dropFromPool(transaction.txId);
      node.produce(BLOCKS_OF_A_LIFETIME);
      return Promise.resolve();
    },
    countSentBy: (address) =>
      Promise.resolve(
        node.chain.blocks.flatMap(({ transactions }) => transactions)
          .filter((transaction) => ownerOf(transaction) === hexAddress(address)).length,
      ),
    [Symbol.asyncDispose]: () => node.close(),
  };
  node.door.onCall = ({ path, input }) => {
    if (path !== "/wallet/broadcasthex") return;
    sent.push(JSON.parse(input).transaction);
    return FAULTS[ground.onSending()];
  };
  return ground;
}
