interface Network {
  readonly network: string;
}

interface Rescan extends Network {
  readonly height: number;
  readonly fromBlock: number;
}

export const FOLLOWING = {
  network_not_halted: ({ network }: Network) => `${network} is not halted`,
  no_block_in_common: ({ network, height }: Network & { height: number }) =>
    `The nodes of ${network} have none of the blocks that were read from ${height} on`,
  rescan_backwards: ({ fromBlock, toBlock }: { fromBlock: number; toBlock: number }) =>
    `The last block, ${toBlock}, is before the first, ${fromBlock}`,
  rescan_to_end: ({ network }: Network) =>
    `On ${network} blocks are read again to the newest one: what is found may have been spent since`,
  rescan_beyond_chain: ({ network, height, fromBlock }: Rescan) =>
    `The chain of ${network} ends at block ${height}, so there is nothing to read again from ` +
    `${fromBlock}`,
  rescan_beyond_read: ({ network, height, fromBlock }: Rescan) =>
    `${network} was read up to block ${height}, so there is nothing to read again from ` +
    `${fromBlock}`,
};
