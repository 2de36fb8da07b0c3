/** What is booked for one of our deposit addresses, up to one block. */
interface AddressMovements {
  readonly deposits: readonly BookedDeposit[];
  /** Gas that our own wallet sent. */
  readonly topUpsRaw: readonly bigint[];
  readonly spends: readonly BookedSpend[];
}

interface BookedDeposit {
  /** Null for the native coin. */
  readonly contract: string | null;
  readonly amountRaw: bigint;
  readonly isCredited: boolean;
  /** It counts as moved on to the receiving wallet. */
  readonly isSwept: boolean;
  /** False: it was credited but is in no block now. */
  readonly isAnchored: boolean;
}

interface BookedSpend {
  readonly contract: string | null;
  readonly amountRaw: bigint;
  readonly feeRaw: bigint;
  /** False: it failed, or moved no tokens. */
  readonly hasMoved: boolean;
}

export interface Booked {
  /** Credited and not moved on. If the chain has less, money is missing. */
  readonly creditedRaw: bigint;
  /**
   * Also includes deposits seen but not credited yet. If the chain has more, that money is
   * unexplained.
   */
  readonly seenRaw: bigint;
  /** Credited, but in no block now. Its coins may still be there, and they are already credited. */
  readonly orphanedRaw: bigint;
  /** What its own transactions cost. */
  readonly feesRaw: bigint;
  /** What deposits brought that count as swept, without what was moved on and what that cost. */
  readonly leftRaw: bigint;
}

export const NOTHING_BOOKED: Booked = {
  creditedRaw: 0n,
  seenRaw: 0n,
  orphanedRaw: 0n,
  feesRaw: 0n,
  leftRaw: 0n,
};

/** By token contract, null for the native coin. A transaction that moved nothing still costs its fee. */
export function addressBooks(movements: AddressMovements): Map<string | null, Booked> {
  const books = new Map<string | null, Booked>();
  const add = (contract: string | null, raw: Partial<Booked>) => {
    const { creditedRaw, seenRaw, orphanedRaw, feesRaw, leftRaw } = books.get(contract) ??
      NOTHING_BOOKED;
    books.set(contract, {
      leftRaw: leftRaw + (raw.leftRaw ?? 0n),
      creditedRaw: creditedRaw + (raw.creditedRaw ?? 0n),
      seenRaw: seenRaw + (raw.seenRaw ?? 0n),
      orphanedRaw: orphanedRaw + (raw.orphanedRaw ?? 0n),
      feesRaw: feesRaw + (raw.feesRaw ?? 0n),
    });
  };
  const both = (raw: bigint) => ({ creditedRaw: raw, seenRaw: raw });
  for (const { contract, amountRaw, isCredited, isSwept, isAnchored } of movements.deposits) {
    if (!isAnchored) add(contract, { orphanedRaw: amountRaw });
    else {
      const creditedRaw = isCredited ? amountRaw : 0n;
      add(contract, { creditedRaw, seenRaw: amountRaw, leftRaw: isSwept ? amountRaw : 0n });
    }
  }
  for (const raw of movements.topUpsRaw) add(null, both(raw));
  for (const { contract, amountRaw, feeRaw, hasMoved } of movements.spends) {
    add(null, { ...both(-feeRaw), feesRaw: feeRaw, leftRaw: -feeRaw });
    if (hasMoved) add(contract, { ...both(-amountRaw), leftRaw: -amountRaw });
  }
  return books;
}

/** Takes items in order as long as there is room. */
export function coveredBy<T>(
  room: bigint,
  { items, rawOf }: { items: readonly T[]; rawOf: (item: T) => bigint },
): T[] {
  let left = room;
  return items.filter((item) => {
    const raw = rawOf(item);
    if (raw > left) return false;
    left -= raw;
    return true;
  });
}

/**
 * Whether the coins of an uncredited deposit are on its address, whatever became of others. A spend
 * that is left over from an erased credit makes no room for it, nor do coins that others wait for.
 */
export function isStillThere(
  { creditedRaw, seenRaw, orphanedRaw, feesRaw }: Booked,
  { foundRaw, amountRaw, isNative }: {
    foundRaw: bigint;
    amountRaw: bigint;
    isNative: boolean;
  },
): boolean {
  // Deposits of a token that lies wait for ever, and every other one is looked at by itself.
  const waitingRaw = isNative ? seenRaw - creditedRaw : amountRaw;
  const keptRaw = creditedRaw > 0n ? creditedRaw : 0n;
  return foundRaw + feesRaw >= keptRaw + orphanedRaw + waitingRaw;
}
