import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { familyOf } from "../../../src/chains/registry.ts";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { findProgram, noteLeftOut } from "../programs/needed.ts";
import { signedRows } from "../signed_rows.ts";
import type { ApiReply } from "../api_client.ts";
import { enable, makeToken } from "../gateway.ts";
import {
  allocate,
  type Allocated,
  balanceOf,
  type BalanceView,
  transactionsOf,
  withdraw,
  withdrawalOf,
} from "../views.ts";
import { type BareWorld, startBareWorld } from "../world.ts";
import { startEvmGround } from "./evm_ground.ts";
import type { Ground, GroundToken } from "./ground.ts";
import { type LitecoinGround, startLitecoinGround } from "./litecoin_ground.ts";
import { startTronGround, type TronGround } from "./tron_ground.ts";

const hasOutputs = await findProgram("litecoind") !== undefined;
export const GROUNDS = {
  evm: startEvmGround,
  tron: startTronGround,
  ...hasOutputs ? { bitcoin: startLitecoinGround } : {},
};
type FamilyName = keyof typeof GROUNDS;
const ACTOR = "test";
const LATER_MS = 700_000;

/** A gateway whose rounds are run by hand, on a chain of either family. */
export interface Scene<Its extends Ground = Ground> extends BareWorld {
  readonly ground: Its;
  /** Base units of a coin, and of a token. */
  readonly one: bigint;
  allocate(currency?: string): Promise<Allocated>;
  withdraw(order: { to?: string; amount: string; currency?: string }): Promise<ApiReply>;
  /** Moves the gateway's clock; the chain's moves with its blocks. */
  wait(ms: number): void;
  /** Mines this many blocks and runs one round. */
  follow(blocks: number): Promise<void>;
  /** Mines enough blocks to confirm, and moves the clock past all waiting times. */
  turn(times?: number): Promise<void>;
  /** A token, enabled for the merchant. */
  addToken(): Promise<GroundToken>;
  /** Where only blocks show it, they are read. */
  give(address: string, raw: bigint): Promise<void>;
  /** In the books and in the hot wallet, which has twice as much if nothing else is said. */
  fundMerchant(
    order?: { amount?: string; heldRaw?: bigint; token?: GroundToken },
  ): Promise<void>;
  fundGasWallet(): Promise<string>;
  sweepTo(address: string): Promise<void>;
  balanceOf(currency?: string): Promise<BalanceView>;
  /** Direction, currency, status, oldest first. */
  listed(): Promise<string[]>;
  statusOf(id: number): Promise<string>;
  signed(purpose: string): Promise<number>;
}

export const TOKEN = "USDT";
export const TOKEN_RAW = 1_000_000n;

/** Why a story isn't played on outputs. */
export const NOT_ON_OUTPUTS = {
  tokens: { bitcoin: "There are no tokens, and nobody needs gas" },
  payer: { bitcoin: "A deposit names no payer, and what arrives is less the fee" },
  dust: {
    bitcoin: "What is too little there is decided by nodes, and isn't credited before more comes",
  },
  heights: { bitcoin: "Its chain starts with more blocks than the story counts" },
  sharing: { bitcoin: "Payments that arrive together share a transaction" },
  expiry: { bitcoin: "An output can be spent until its own key has spent it" },
} as const;

interface SceneSettings {
  /** The first block that is read; usually the first of the chain. */
  readonly startHeight?: number;
  /** Families whose chains have nothing of what the story is about, and what that is. */
  readonly without?: Partial<Readonly<Record<FamilyName, string>>>;
}

/** Runs the same story on every chain family; its books must agree with the chain in the end. */
export function onEveryFamily(
  name: string,
  story: (scene: Scene) => Promise<void>,
  settings: SceneSettings = {},
): void {
  for (const [family, start] of groundsFor(settings)) {
    Deno.test(`${family}: ${name}`, () => play<Ground>(start, story, settings));
  }
  if (!hasOutputs && !("bitcoin" in (settings.without ?? {}))) noteLeftOut("litecoind", 1);
}

function groundsFor({ without = {} }: SceneSettings) {
  return Object.entries(GROUNDS).filter(([family]) => !(family in without));
}

export function playOnLitecoin(story: (scene: Scene<LitecoinGround>) => Promise<void>) {
  return play(startLitecoinGround, story);
}

export function playOnTron(story: (scene: Scene<TronGround>) => Promise<void>): Promise<void> {
  return play(startTronGround, story);
}

async function play<Its extends Ground>(
  start: () => Promise<Its>,
  story: (scene: Scene<Its>) => Promise<void>,
  settings: SceneSettings = {},
): Promise<void> {
  await using ground = await start();
  await using scene = await startScene(ground, settings);
  await story(scene);
  assert.deepEqual(scene.faults.filter((line) => line.includes("is not followed")), []);
  await checkBooks(scene);
}

async function startScene<Its extends Ground>(
  ground: Its,
  { startHeight = ground.startHeight }: SceneSettings,
): Promise<Scene<Its>> {
  const { code, coin, chainId, minConfirmations } = ground;
  const network = {
    code,
    ...coin,
    chainId,
    minConfirmations,
    rpcUrls: [ground.rpcUrl],
    ...startHeight === undefined ? {} : { startHeight },
  };
  const world = await startBareWorld({ network, env: { CPG_WORKER: "false" } });
  const { merchant: { accountId, api, hotWallet } } = world;
  const { symbol } = coin;
  const asset = (currency: string) => ({ accountId, network: code, currency });
  let aheadMs = 0;
  const follow = async (blocks: number) => {
    await ground.mine(blocks);
    await world.round({ aheadMs });
  };
  const give = async (address: string, raw: bigint) => {
    await ground.give(address, raw);
    if (familyOf(coin.family).holdings === "outputs") {
      await follow(ground.minConfirmations - 1);
    }
  };
  const turn = async (times = 1) => {
    for (let i = 0; i < times; i++) {
      aheadMs += LATER_MS;
      await follow(minConfirmations);
    }
  };
  const own: Omit<Scene<Its>, keyof BareWorld> = {
    ground,
    one: 10n ** BigInt(coin.decimals),
    wait: (ms) => void (aheadMs += ms),
    follow,
    turn,
    give,
    allocate: (currency = symbol) => allocate(api, { network: code, currency }),
    withdraw: ({ to = ground.stranger, amount, currency = symbol }) =>
      withdraw(api, { network: code, to, amount, currency }),
    addToken: async () => {
      const token = await ground.addToken();
      await makeToken(world.deps, { network: code, contract: token.address, symbol: TOKEN });
      await enable(world.deps, asset(TOKEN));
      return token;
    },
    fundMerchant: async ({ amount = "100", heldRaw, token } = {}) => {
      const note = { amount, note: "test", actor: ACTOR } as const;
      await adjustBalance(world.deps, { ...asset(token ? TOKEN : symbol), ...note });
      if (token) {
        await ground.give(hotWallet, ground.gasRaw);
        return await token.mint(hotWallet, BigInt(amount) * TOKEN_RAW);
      }
      await give(hotWallet, heldRaw ?? 2n * BigInt(amount) * 10n ** BigInt(coin.decimals));
    },
    fundGasWallet: async () => {
      const { address } = await gasWallet(world.deps, { network: code, actor: "test" });
      await ground.give(address, 10n * ground.gasRaw);
      return address;
    },
    sweepTo: async (address) =>
      void await setReceivingWallet(world.deps, {
        accountId,
        network: code,
        address,
        actor: ACTOR,
      }),
    balanceOf: (currency = symbol) => balanceOf(api, currency),
    listed: async () =>
      (await transactionsOf(api)).toReversed()
        .map((row) => `${row.direction} ${row.currency} ${row.status}`),
    statusOf: async (id) => (await withdrawalOf(api, id)).status,
    signed: async (purpose) => {
      const rows = await signedRows(world.deps);
      return rows.filter((row) => row.purpose === purpose).length;
    },
  };
  const properties = Object.entries(own).map(([key, value]) => [key, { value }] as const);
  return Object.create(world, Object.fromEntries(properties));
}

/** Every account against its entries, and every address against the chain. */
async function checkBooks({ deps }: BareWorld): Promise<void> {
  const { differences, surplus, invoices, skipped } = await reconcile(deps, {
    network: undefined,
  });
  assert.deepEqual({ differences, surplus, invoices, skipped }, {
    differences: [],
    surplus: [],
    invoices: [],
    skipped: [],
  });
}

export function unitsOf(raw: bigint, one: bigint): string {
  const digits = String(one).length - 1;
  const fraction = String(raw % one).padStart(digits, "0").replace(/0+$/, "");
  return fraction === "" ? String(raw / one) : `${raw / one}.${fraction}`;
}
