const TRANSFER = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const WORD_CHARS = 64;
const ADDRESS_CHARS = 40;

export interface TokenMove {
  readonly contract: string;
  readonly from: string;
  readonly to: string;
  readonly amountRaw: bigint;
}

interface EventLog {
  readonly contract: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** How a family writes bytes and addresses. */
export interface Writing {
  readonly prefix: "" | "0x";
  addressOf(twentyBytes: string): string;
}

export function transferTopic({ prefix }: Pick<Writing, "prefix">): string {
  return prefix + TRANSFER;
}

/** Undefined for a transfer of nothing, and for an NFT's, which has the same topic. */
export function transferReader(
  { prefix, addressOf }: Writing,
): (log: EventLog) => TokenMove | undefined {
  const topic = transferTopic({ prefix });
  const wordLength = prefix.length + WORD_CHARS;
  const addressIn = (word: string) => addressOf(word.slice(-ADDRESS_CHARS));
  return ({ contract, topics, data }) => {
    const [kind, from, to] = topics;
    const isTransfer = kind === topic && topics.length === 3 && data.length === wordLength;
    if (!isTransfer || from === undefined || to === undefined) return undefined;
    const amountRaw = BigInt(`0x${data.slice(prefix.length)}`);
    if (amountRaw === 0n) return undefined;
    return { contract, from: addressIn(from), to: addressIn(to), amountRaw };
  };
}

export function movesFrom(sender: string, moves: readonly TokenMove[]): TokenMove[] {
  return moves.filter(({ from }) => from === sender);
}

export function movedBetween(
  moves: readonly TokenMove[],
  { contract, from, to }: Omit<TokenMove, "amountRaw">,
): bigint {
  return moves.filter((move) => move.contract === contract && move.from === from && move.to === to)
    .reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
}

/** What a token said that it moved. */
export interface LoggedMove {
  readonly contract: string;
  readonly from: string;
  /** What was to be moved. */
  readonly amountRaw: bigint;
  /** What arrived according to the logs: a token may move less than it was told to. */
  readonly loggedRaw: bigint;
}

/**
 * Whether what the sender lost bears out a transfer that its token logged. Interest, a rebase or
 * rounding changes a balance too, by a small part of it; a transfer that was only logged changes
 * nothing. So half is the line that both are furthest from.
 */
export function isBorneOut(
  { amountRaw, loggedRaw }: Pick<LoggedMove, "amountRaw" | "loggedRaw">,
  lostRaw: bigint,
): boolean {
  const movedRaw = loggedRaw < amountRaw ? loggedRaw : amountRaw;
  return 2n * lostRaw >= movedRaw;
}
