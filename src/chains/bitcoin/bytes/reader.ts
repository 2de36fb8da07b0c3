import { NodeError } from "../../faults.ts";

const TWO_32 = 2 ** 32;

/** Reads integers and lists of bytes as the protocol writes them. Throws a NodeError at the end. */
export class Reader {
  at = 0;
  readonly #view: DataView;

  constructor(readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  byte(): number {
    return this.#view.getUint8(this.#pass(1));
  }

  uint32(): number {
    return this.#view.getUint32(this.#pass(4), true);
  }

  /** Beyond what a double holds exactly, no amount is genuine. */
  uint64(): number {
    const start = this.#pass(8);
    const value = this.#view.getUint32(start, true) +
      TWO_32 * this.#view.getUint32(start + 4, true);
    if (!Number.isSafeInteger(value)) throw malformed(`the number ${value} at byte ${start}`);
    return value;
  }

  /** How many of something follow, of which each takes at least `bytesEach`. */
  count(bytesEach: number): number {
    const start = this.at;
    const first = this.byte();
    const value = first < 0xfd
      ? first
      : first === 0xfd
      ? this.#view.getUint16(this.#pass(2), true)
      : first === 0xfe
      ? this.uint32()
      : this.uint64();
    // Nodes write each count in one way only.
    const least = first < 0xfd ? 0 : first === 0xfd ? 0xfd : first === 0xfe ? 0x1_0000 : TWO_32;
    if (value < least) throw malformed(`a count in a longer form at byte ${start}`);
    if (value * bytesEach > this.left) throw malformed(`${value} of something in too few bytes`);
    return value;
  }

  /** A view. */
  take(length: number): Uint8Array {
    const start = this.#pass(length);
    return this.bytes.subarray(start, start + length);
  }

  /** Preceded by its length. */
  text(): Uint8Array {
    return this.take(this.count(1));
  }

  /** As it is shown: hashes are written backwards. */
  hash(): string {
    return hashText(this.take(32));
  }

  #pass(length: number): number {
    const start = this.at;
    if (length > this.left) throw malformed(`${length} bytes where ${this.left} are left`);
    this.at = start + length;
    return start;
  }
}

export function hashText(hash: Uint8Array): string {
  return hash.toReversed().toHex();
}

export function malformed(what: string): NodeError {
  return new NodeError(`Cannot read bytes of a node: ${what}`);
}
