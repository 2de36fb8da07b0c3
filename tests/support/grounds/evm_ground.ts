import { present } from "../../../src/base/assert.ts";
import { startAnvil } from "../nodes/anvil.ts";
import { deploy, sendTx } from "../nodes/contracts.ts";
import { type Fault, startFaultProxy } from "../nodes/fault_proxy.ts";
import { ETHER, setBalance, STRANGER } from "../payers.ts";
import type { Ground, Sending } from "./ground.ts";

const RECEIVER = "0x00000000000000000000000000000000000bEEf1";
const SEND = "eth_sendRawTransaction";

const FAULTS: Readonly<Record<Sending, Fault>> = {
  taken: "pass",
  reply_lost: { drop: "after" },
  lost: { drop: "before" },
  refused: {
    status: 200,
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32000, message: "intrinsic gas too low" },
    }),
  },
};

export async function startEvmGround(): Promise<Ground> {
  const anvil = await startAnvil();
  const sent: string[] = [];
  const raws = new Map<string, string>();
  const proxy = await startFaultProxy(anvil.url, (method, params) => {
    if (method !== SEND) return "pass";
    sent.push(String(params[0]));
    return FAULTS[ground.onSending()];
  });
  const customer = present(anvil.accounts[0], "Anvil has accounts");
  const keep = async (hash: string) => {
    raws.set(hash, await anvil.rpc("eth_getRawTransactionByHash", [hash]));
    return hash;
  };
  const ground: Ground = {
    code: "ETH",
    coin: { family: "evm", finality: "none", symbol: "ETH", decimals: 18 },
    chainId: "31337",
    rpcUrl: proxy.url,
    minConfirmations: 3,
    stranger: STRANGER,
    receiver: RECEIVER,
    misspelled: [`${STRANGER.slice(0, -1)}f`, STRANGER.slice(2), ` ${STRANGER}`],
    gasRaw: ETHER,
    customer,
    endReason: "dropped",
    sent,
    onSending: () => "taken",
    mine: anvil.mine,
    mineBySelf: (isOn) => anvil.rpc("evm_setAutomine", [isOn]),
    pay: async (to, valueRaw) => await keep(await sendTx(anvil, { to, valueRaw })),
    give: async (address, raw) => {
      await setBalance(anvil, address, raw);
      // Into a block, so that a reorganisation does not take it away.
      await anvil.mine(1);
    },
    addToken: async () => {
      const token = await deploy(anvil, { name: "UsdtLike" });
      return {
        address: token.address,
        mint: async (to, raw) => void await token.send("mint", [to, raw]),
        balanceOf: (holder) => token.read("balanceOf", [holder]),
        ban: async (holder) => {
          const data = token.encode("ban", [holder]);
          // Mined before everything that waits, because it pays a higher fee.
          await anvil.rpc("eth_sendTransaction", [{
            from: customer,
            to: token.address,
            data,
            maxFeePerGas: "0x174876e800",
            maxPriorityFeePerGas: "0x174876e800",
          }]);
        },
      };
    },
    coinsOf: async (address) => BigInt(await anvil.rpc("eth_getBalance", [address, "latest"])),
    reorg: (depth) => anvil.rpc("anvil_reorg", [depth, []]),
    reorgWith: (depth, hash) =>
      anvil.rpc("anvil_reorg", [depth, [[present(raws.get(hash), "It was kept"), 0]]]),
    mineAgain: async (hash) => {
      await anvil.rpc("eth_sendRawTransactionSync", [present(raws.get(hash), "It was kept")]);
    },
    forget: (hash) => anvil.rpc("anvil_dropTransaction", [hash]),
    outlast: async (sender) => {
      await anvil.rpc("anvil_dropAllTransactions");
      await anvil.rpc("anvil_impersonateAccount", [sender]);
      await anvil.rpc("eth_sendTransaction", [{ from: sender, to: sender, value: "0x0" }]);
      await anvil.mine(1);
    },
    countSentBy: async (address) =>
      Number(await anvil.rpc("eth_getTransactionCount", [address, "latest"])),
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await anvil.stop();
    },
  };
  return ground;
}
