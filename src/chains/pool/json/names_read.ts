/** The engine remembers each order of names that objects have; honest answers have hundreds. */
export const ORDERS_MAX = 4_096;
/** The shortest object with one name has more. */
const CHARS_PER_ORDER = 4;
/** Longer ones are compared with each other one by one. */
export const NAME_CHARS_MAX = 1_000;
const SHORT_CHARS = CHARS_PER_ORDER * ORDERS_MAX;
const [BACKSLASH, COLON] = [92, 58];
const BLANKS: ReadonlySet<number> = new Set([9, 10, 13, 32]);

/** An object's names so far, in their order. */
interface NameOrder {
  /** What followed first, with quotes and colon. Objects are alike, and comparing is quick. */
  usual?: { readonly text: string; readonly next: NameOrder };
  readonly next: Map<string, NameOrder>;
}

/** Counts the orders of names in a JSON text that is read from its start to its end. */
export class NamesRead {
  /** Undefined for a text so short that it can't have too many. */
  static of(text: string): NamesRead | undefined {
    return text.length < SHORT_CHARS ? undefined : new NamesRead(text);
  }

  readonly #none: NameOrder = { next: new Map() };
  /** Of each list and object that is open, the names so far. */
  readonly #open: NameOrder[] = [];
  orders = 0;
  longest = 0;

  private constructor(readonly text: string) {}

  get areTooMany(): boolean {
    return this.orders > ORDERS_MAX || this.longest > NAME_CHARS_MAX;
  }

  open(): void {
    this.#open.push(this.#none);
  }

  close(): void {
    this.#open.pop();
  }

  /** The last character of the string that begins here; of a name, its colon. */
  endOf(start: number): number {
    const { text } = this;
    const order = this.#open.at(-1);
    const usual = order?.usual;
    if (usual && text.startsWith(usual.text, start)) {
      this.#open[this.#open.length - 1] = usual.next;
      return start + usual.text.length - 1;
    }
    const end = endOfString(text, start);
    const colon = afterBlanks(text, end + 1);
    if (!order || text.charCodeAt(colon) !== COLON) return end;
    this.longest = Math.max(this.longest, end - start - 1);
    if (this.areTooMany) return colon;
    const next = this.#after(order, text.slice(start, end));
    order.usual ??= { text: text.slice(start, colon + 1), next };
    this.#open[this.#open.length - 1] = next;
    return colon;
  }

  #after({ next }: NameOrder, name: string): NameOrder {
    let order = next.get(name);
    if (!order) {
      next.set(name, order = { next: new Map() });
      this.orders++;
    }
    return order;
  }
}

function afterBlanks(text: string, start: number): number {
  let at = start;
  while (BLANKS.has(text.charCodeAt(at))) at++;
  return at;
}

export function endOfString(text: string, start: number): number {
  for (let at = start;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let first = at;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
}
