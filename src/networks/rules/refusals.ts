interface OnChain {
  readonly chainId: string;
  readonly found: string;
}

interface Token {
  readonly network: string;
  readonly contract: string;
}

export type NetworkNeed = "code" | "family" | "minConfirmations" | "rpcUrls";

type UnfitSetting = "hotGasTarget" | "traces" | "feeModel" | "feeTarget";

const UNFIT: Readonly<Record<UnfitSetting, string>> = {
  hotGasTarget: "wallets pay fees with what they hold, so no gas is sent to them",
  traces: "every payment is in its block, so nothing has to be traced",
  feeModel: "a transaction costs what it offers, and nothing besides",
  feeTarget: "its nodes aren't asked for how many blocks a payment may wait",
};

const NEEDS: Readonly<Record<NetworkNeed, string>> = {
  code: "a code",
  family: "a family",
  minConfirmations: "a number of confirmations",
  rpcUrls: "a node",
};

export const NETWORKS = {
  network_taken: ({ code }: { code: string }) => `A network ${code} already exists`,
  network_booked: ({ code }: { code: string }) =>
    `${code} can't be removed: the books have payments of it`,
  network_issued: ({ code }: { code: string }) =>
    `${code} can't be removed: customers have addresses there, and what they pay would be lost`,
  network_in_rule: ({ code, policyId }: { code: string; policyId: number }) =>
    `${code} can't be removed: rule ${policyId} names it`,
  network_wallet_halted: ({ code, address }: { code: string; address: string }) =>
    `${code} can't be removed: its wallet ${address} is halted, so it may have paid something`,
  network_wallet_holds: (
    { address, amount, currency }: { address: string; amount: string; currency: string },
  ) => `Its wallet ${address} holds ${amount} ${currency}`,
  network_needs: ({ need }: { need: NetworkNeed }) => `A network needs ${NEEDS[need]}`,
  chain_not_asked_for: ({ chainId, found }: OnChain) =>
    `You asked for chain ${chainId}, but the node is on chain ${found}`,
  node_on_other_chain: ({ name, chainId, found }: OnChain & { name: string }) =>
    `${name} is chain ${chainId}, but the node is on chain ${found}`,
  node_has_other_genesis: ({ name, chainId }: { name: string; chainId: string }) =>
    `${name} is chain ${chainId}, but the node is on a chain ${chainId} with another first block`,
  nodes_on_different_chains: ({ one, other }: Record<"one" | "other", string>) =>
    `Nodes of one network are on different chains: ${one}, ${other}`,
  new_node_unfit: ({ why }: { why: string }) => why,
  new_node_silent: ({ why }: { why: string; network: string }) => why,
  new_nodes_silent: ({ network, why }: { network: string; why: string }) =>
    `${why}; ${network} keeps its nodes`,
  traces_not_served: ({ network }: { network: string }) =>
    `No node of ${network} serves traces of blocks`,
  quorum_too_large: ({ quorum, nodes }: { quorum: number; nodes: number }) =>
    `A quorum of ${quorum} needs at least ${quorum} nodes, but there ${
      nodes === 1 ? "is" : "are"
    } ${nodes}`,
  sockets_without_nodes: ({ sockets, nodes }: { sockets: number; nodes: number }) =>
    `${sockets === 1 ? "A socket belongs" : `${sockets} sockets belong`} to ${
      sockets === 1 ? "a node" : "nodes"
    }, and there ${nodes === 1 ? "is" : "are"} ${nodes}`,
  no_pushed_heads: ({ family }: { family: string }) =>
    `Nodes of ${family.toUpperCase()} push no heads, so they have no sockets`,
  setting_unfit: ({ code, setting }: { code: string; setting: UnfitSetting }) =>
    `This setting means nothing on ${code}: ${UNFIT[setting]}`,
  final_blocks_unfit: ({ code }: { code: string }) =>
    `On ${code} the chain itself says which block is final, or nobody does: it isn't a number of blocks`,
  finality_unfit: ({ code }: { code: string }) =>
    `No block of ${code} says that it is final: it is a number of blocks`,
  final_blocks_few: (
    { code, finalBlocks, least }: { code: string; finalBlocks: number; least: number },
  ) =>
    `On ${code} a block is final with ${least} blocks or more, not with ${finalBlocks}: chains ` +
    "like it have undone that many",
  chain_unknown: ({ genesisHash }: { genesisHash: string | null }) =>
    genesisHash === null
      ? "No chain of this kind has that id"
      : `The node is on a chain that isn't known here: its first block is ${genesisHash}`,
  native_decimals_differ: (
    { code, symbol, decimals, own }: {
      code: string;
      symbol: string;
      decimals: number;
      own: number;
    },
  ) => `${symbol} on ${code} has ${own} decimals, not ${decimals}`,
  no_tokens: ({ code }: { code: string }) =>
    `${code} has no contracts, so its own coin is its only currency`,
  login_hidden: ({ url }: { url: string }) =>
    `${url} hides a name and password, and no node of the network has that address: write them`,
  gas_price_too_precise: (
    { text, unit, decimals }: { text: string; unit: string; decimals: number },
  ) =>
    `A gas price of ${text} is too precise: prices there are in ${unit}, with ${decimals} decimals`,
  currency_taken: ({ network, symbol, contract }: Token & { symbol: string }) =>
    `${network} already has ${symbol} or another currency at ${contract}`,
  native_coin_taken: ({ network, symbol }: { network: string; symbol: string }) =>
    `${network} already has ${symbol} as its native coin`,
  symbol_spelled: ({ symbol, known }: { symbol: string; known: string }) =>
    `${symbol} would be the same currency as ${known}, which another network has already: symbols ` +
    "are compared without case",
  token_missing: ({ network, contract }: Token) => `No token answers at ${contract} on ${network}`,
  token_decimals_differ: (
    { symbol, contract, found, decimals }: {
      symbol: string;
      contract: string;
      found: number;
      decimals: number;
    },
  ) => `${symbol} at ${contract} has ${found} decimals on its chain, not ${decimals}`,
  amount_too_precise: (
    { name, amount, symbol, decimals }: {
      name: string;
      amount: string;
      symbol: string;
      decimals: number;
    },
  ) =>
    `${symbol} has ${decimals} decimals, so a ${name} of ${amount} is too precise: the least is ` +
    (decimals === 0 ? "1" : `0.${"1".padStart(decimals, "0")}`),
  gas_max_zero: ({ symbol }: { symbol: string }) =>
    `Every payment in ${symbol} runs its contract, so a gas limit of 0 would block them all`,
  gas_max_without_code: ({ symbol }: { symbol: string }) =>
    `A payment in ${symbol} runs no code, so it has no gas limit`,
};
