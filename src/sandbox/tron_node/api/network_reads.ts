import { present } from "../../../base/assert.ts";
import type { Message } from "./values.ts";
import type { Reading } from "./reads.ts";
import { topOf } from "./view.ts";

/** A parameter that is zero has no value, because protobuf leaves it out. */
export function getChainParameters({ chain }: Reading): Message {
  const chainParameter = Object.entries(chain.chainParameters)
    .map(([key, value]) => value === 0n ? { key } : { key, value });
  return { chainParameter };
}

export function getEnergyPrices({ chain }: Reading): Message {
  return { prices: chain.prices.energy.map(pricePoint).join(",") };
}

export function getBandwidthPrices({ chain }: Reading): Message {
  return { prices: chain.prices.bandwidth.map(pricePoint).join(",") };
}

export function getNodeInfo({ chain, view }: Reading): Message {
  const head = topOf(view);
  const solid = present(
    view.block(Math.min(chain.solidNumber, view.height)),
    "A view has its solid block",
  );
  return {
    activeConnectCount: 3,
    beginSyncNum: BigInt(head.number),
    block: `Num:${head.number},ID:${head.id}`,
    solidityBlock: `Num:${solid.number},ID:${solid.id}`,
    currentConnectCount: 30,
    passiveConnectCount: 27,
    totalFlow: 0n,
    peerList: [],
    configNodeInfo: {
      codeVersion: "4.8.1",
      versionNum: "18636",
      p2pVersion: "11111",
      supportConstant: true,
      dbVersion: 2,
    },
    machineInfo: {},
    cheatWitnessInfoMap: {},
  };
}

function pricePoint({ sinceMs, price }: { readonly sinceMs: number; readonly price: bigint }) {
  return `${sinceMs}:${price}`;
}
