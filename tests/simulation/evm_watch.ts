import { batchIn, type BatchOrder, ownerDeployed } from "./evm_collector.ts";
import { createdBy, type EvmChain, type EvmTransaction } from "./evm_chain.ts";
import { type Address, NOBODY } from "./evm_state.ts";

/** After so many blocks nobody can take what runs at an address for something else. */
const KNOWN_AFTER_BLOCKS = 20;

interface Seen {
  readonly tx: EvmTransaction;
  /** Undefined unless it is a call of a collector. */
  readonly orders: readonly BatchOrder[] | undefined;
}

/**
 * Looks at each transaction of the gateway when a node first gets it: what its batches and
 * authorizations must never say, whatever becomes of them.
 */
export class EvmWatch {
  readonly wrongs: string[] = [];
  readonly #chain: EvmChain;
  gasWallet: Address = "";
  /** What the gas wallet has deployed, on whatever branch. */
  readonly #collectors = new Set<Address>();
  readonly #seen = new Map<string, Seen>();

  constructor(chain: EvmChain) {
    this.#chain = chain;
  }

  /** What was signed before is nothing to restored books. */
  restored(): void {
    this.#seen.clear();
  }

  look(tx: EvmTransaction): void {
    if (this.#seen.has(tx.hash)) return;
    const isDeployment = tx.to === null && ownerDeployed(tx.data) === this.gasWallet;
    if (isDeployment && tx.from === this.gasWallet) {
      this.#collectors.add(createdBy(tx.from, tx.nonce));
    }
    const isCall = tx.to !== null && this.#collectors.has(tx.to);
    const seen: Seen = { tx, orders: isCall ? batchIn(tx.data)?.orders : undefined };
    const before = [...this.#seen.values()];
    this.#seen.set(tx.hash, seen);
    const wrong = this.#wrongWords(seen) ?? this.#wrongBid(seen, before) ??
      this.#wrongOrder(seen) ?? this.#orderedTwice(seen, before) ??
      this.#signedTwice(seen, before);
    if (wrong) this.wrongs.push(`${tx.hash} ${wrong}`);
  }

  /** An address's word is only for our contract on this chain, and for what the batch moves. */
  #wrongWords({ tx: { authorizations }, orders = [] }: Seen): string | undefined {
    const senders = new Set(orders.map(({ from }) => from));
    for (const { authority, delegate, chainId } of authorizations) {
      if (chainId !== this.#chain.chainId) return `lets ${authority} delegate on chain ${chainId}`;
      if (delegate !== NOBODY && !this.#collectors.has(delegate)) {
        return `lets ${authority} delegate to ${delegate}, which is no collector of ours`;
      }
      if (delegate !== NOBODY && !senders.has(authority)) {
        return `lets ${authority} delegate, which it takes nothing from`;
      }
    }
    return undefined;
  }

  /** Bids for a place differ in what they offer, or one of them moves nothing. */
  #wrongBid({ tx, orders }: Seen, before: readonly Seen[]): string | undefined {
    const other = before.find((one) => one.tx.from === tx.from && one.tx.nonce === tx.nonce);
    if (!other || (!orders && !other.orders)) return undefined;
    const content = ({ tx: { to, data, authorizations } }: Seen) =>
      [to, data, ...authorizations.map((one) => Object.values(one.signature))].join();
    const isVoid = tx.to === tx.from;
    return isVoid || content(other) === content({ tx, orders })
      ? undefined
      : `is bid instead of ${other.tx.hash}, and orders something else`;
  }

  #wrongOrder({ tx, orders = [] }: Seen): string | undefined {
    const delegates = [this.#chain.head, this.#known].map((block) => block.state.delegates);
    for (const { from, token } of orders) {
      if (token !== null && this.#chain.isShy(from)) {
        return `has an order of ${from}, which fails in every trial`;
      }
      const others = delegates.map((all) => all.get(from));
      const isOther = others.every((one) => one !== undefined && !this.#collectors.has(one));
      if (isOther) return `has an order of ${from}, which delegates to ${others[0]}`;
    }
    return tx.from === this.gasWallet || orders.length === 0 ? undefined : `is of ${tx.from}`;
  }

  get #known() {
    let block = this.#chain.head;
    for (let i = 0; i < KNOWN_AFTER_BLOCKS && block.parent; i++) block = block.parent;
    return block;
  }

  /** Those for other places that can still be mined. */
  #open({ tx }: Seen, before: readonly Seen[]): Seen[] {
    const { state } = this.#chain.head;
    const placeOf = ({ from, nonce }: EvmTransaction) => `${from} ${nonce}`;
    return before.filter((one) =>
      placeOf(one.tx) !== placeOf(tx) && one.tx.nonce >= state.nonceOf(one.tx.from)
    );
  }

  /** One of the two would be worth nothing. */
  #signedTwice(seen: Seen, before: readonly Seen[]): string | undefined {
    const words = ({ tx: { authorizations } }: Seen) =>
      authorizations.map(({ authority, nonce }) => `${authority} ${nonce}`);
    const used = (one: Seen) => new Set([`${one.tx.from} ${one.tx.nonce}`, ...words(one)]);
    const own = used(seen);
    const other = this.#open(seen, before).find((one) => !used(one).isDisjointFrom(own));
    return other ? `uses a nonce of an address that ${other.tx.hash} uses too` : undefined;
  }

  /** What a batch moves is moved by no other one that can still be mined. */
  #orderedTwice(seen: Seen, before: readonly Seen[]): string | undefined {
    const { orders = [] } = seen;
    const keyOf = ({ from, token }: BatchOrder) => `${from} ${token}`;
    const own = new Set(orders.map(keyOf));
    const twice = this.#open(seen, before).find((one) =>
      one.orders?.some((order) => own.has(keyOf(order)))
    );
    return twice ? `moves what ${twice.tx.hash} moves, which waits too` : undefined;
  }
}
