/** The networks of this family. Everything that differs between them stands here. */
export type BitcoinPreset = keyof typeof PRESETS;

export interface BitcoinNetwork {
  /** Whose addresses these are, in a sentence. */
  readonly name: string;
  readonly symbol: "BTC" | "LTC";
  /** The hash of its first block, by which nodes show which chain they are on. */
  readonly genesisHash: string;
  /** BIP-44: m/84'/<coinType>'/… */
  readonly coinType: 0 | 1 | 2;
  /** What SegWit addresses begin with. */
  readonly hrp: string;
  /** What others begin with, each form with one or two of these. */
  readonly base58Starts: string;
  readonly p2pkhVersion: number;
  /** The first is how we write; the others are old forms of the same. */
  readonly p2shVersions: readonly number[];
  /** Below what it would cost to spend an output at this price, nodes don't pass it on. */
  readonly dustRawPerByte: bigint;
  /** Blocks after which nothing is undone any more. */
  readonly finalBlocks: number;
  readonly uriScheme: "bitcoin" | "litecoin";
  readonly isTest: boolean;
  /** Blocks may end with an extension block (MWEB). */
  readonly hasMweb: boolean;
  /** The largest answer to the question for one block, which nodes write in hex. */
  readonly blockHexMax: number;
}

export const DECIMALS = 8;
/** In how many blocks a payment should be mined. */
export const FEE_TARGET_BLOCKS = 3;
/** A coinbase's outputs can be spent after so many blocks, and so can those of an extension block. */
export const COINBASE_BLOCKS = 100;
export const MWEB_BLOCKS = 6;

const MIB = 1024 * 1024;
const BTC = {
  symbol: "BTC",
  dustRawPerByte: 3n,
  finalBlocks: 6,
  uriScheme: "bitcoin",
  hasMweb: false,
  blockHexMax: 9 * MIB,
} as const;
const LTC = {
  symbol: "LTC",
  dustRawPerByte: 30n,
  finalBlocks: 12,
  uriScheme: "litecoin",
  hasMweb: true,
  // An extension block's outputs weigh little for their size.
  blockHexMax: 40 * MIB,
} as const;
const BTC_TEST = {
  ...BTC,
  base58Starts: "mn2",
  coinType: 1,
  p2pkhVersion: 0x6f,
  p2shVersions: [0xc4],
  isTest: true,
} as const;
const LTC_TEST = {
  ...LTC,
  base58Starts: "mnQ2",
  coinType: 1,
  p2pkhVersion: 0x6f,
  p2shVersions: [0x3a, 0xc4],
  isTest: true,
} as const;

export const PRESETS = {
  "BTC": {
    ...BTC,
    name: "Bitcoin",
    base58Starts: "13",
    genesisHash: "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f",
    coinType: 0,
    hrp: "bc",
    p2pkhVersion: 0x00,
    p2shVersions: [0x05],
    isTest: false,
  },
  "LTC": {
    ...LTC,
    name: "Litecoin",
    base58Starts: "LM3",
    genesisHash: "12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2",
    coinType: 2,
    hrp: "ltc",
    p2pkhVersion: 0x30,
    p2shVersions: [0x32, 0x05],
    isTest: false,
  },
  "BTC-TEST": {
    ...BTC_TEST,
    name: "Bitcoin's test net",
    genesisHash: "00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043",
    hrp: "tb",
  },
  "LTC-TEST": {
    ...LTC_TEST,
    name: "Litecoin's test net",
    genesisHash: "4966625a4b2851d9fdee139e56211a0d88575f59ed816ff5e6a63deb4e3e29a0",
    hrp: "tltc",
  },
  "BTC-REGTEST": {
    ...BTC_TEST,
    name: "a local Bitcoin chain",
    genesisHash: "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206",
    hrp: "bcrt",
  },
  "LTC-REGTEST": {
    ...LTC_TEST,
    name: "a local Litecoin chain",
    genesisHash: "530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9",
    hrp: "rltc",
  },
} as const satisfies Readonly<Record<string, BitcoinNetwork>>;

/** Undefined for a chain that isn't known. */
export function presetOfGenesis(hash: string): BitcoinPreset | undefined {
  const presets = Object.keys(PRESETS) as BitcoinPreset[];
  return presets.find((preset) => PRESETS[preset].genesisHash === hash);
}

/** By the name that its nodes are known by. */
export function networkOf(chainId: string): BitcoinNetwork {
  const presets: Readonly<Record<string, BitcoinNetwork>> = PRESETS;
  const network = presets[chainId];
  if (!network) throw new Error(`No Bitcoin network is called ${chainId}`);
  return network;
}
