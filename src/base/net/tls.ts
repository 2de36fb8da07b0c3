import { isIP } from "node:net";
import { checkServerIdentity, connect, type PeerCertificate, type TLSSocket } from "node:tls";

export interface Connection {
  read(into: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
  /** While it rests, nothing may arrive: that closes it. */
  rest?(isResting: boolean): void;
}

interface TlsTarget {
  readonly address: string;
  readonly port: number;
  /** The certificate must be for this name, whatever address it has. */
  readonly host: string;
  /** Trusted in addition to the system's. */
  readonly caCerts: readonly string[];
  readonly signal: AbortSignal;
}

/** Of Deno's own TLS connections, one whose handshake isn't answered can't be closed. */
export async function connectTls(
  { address, port, host, caCerts, signal }: TlsTarget,
): Promise<Connection> {
  const socket = connect({
    host: address,
    port,
    ...isIP(host) ? {} : { servername: host },
    ALPNProtocols: ["http/1.1"],
    // Otherwise an environment variable could switch the check off.
    rejectUnauthorized: true,
    checkServerIdentity: nameFault,
    ...caCerts.length > 0 && { ca: [...caCerts] },
  });
  const connection = new TlsConnection(socket);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => socket.destroy(signal.reason);
  socket.once("secureConnect", resolve).once("error", reject);
  socket.once("close", () => reject(new Error("it closed the connection")));
  signal.addEventListener("abort", giveUp);
  if (signal.aborted) giveUp();
  try {
    await promise;
    return connection;
  } catch (error) {
    socket.destroy();
    throw withCode(error);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

/** Of what is wrong with a certificate, its text alone says too little. */
function withCode(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  return error.message.includes(String(error.code))
    ? error
    : new Error(`${error.message} (${error.code})`, { cause: error });
}

const PLAIN_NAME = /^(DNS:(\*\.)?[\w.-]+|IP Address:[\da-fA-F.:]+)$/;

/** Node by itself also accepts the subject's common name, and a star within a word. */
function nameFault(host: string, certificate: PeerCertificate): Error | undefined {
  const names = certificate.subjectaltname?.split(", ").filter((name) => PLAIN_NAME.test(name));
  const subject = { ...certificate.subject, CN: "" };
  const subjectaltname = names?.join(", ") ?? "";
  return checkServerIdentity(host, { ...certificate, subject, subjectaltname });
}

/** Reads when asked, like Deno's own. */
class TlsConnection implements Connection {
  readonly #socket: TLSSocket;
  #error: Error | undefined;
  #isResting = false;
  #wake = () => {};

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("error", (error) => this.#error = error);
    for (const event of ["readable", "end", "close"]) socket.on(event, () => this.#notice());
  }

  /** What nobody reads, `node:tls` keeps in memory, however much it is. */
  #notice(): void {
    if (this.#isResting && this.#socket.readableLength > 0) this.#socket.destroy();
    this.#wake();
  }

  async read(into: Uint8Array): Promise<number | null> {
    for (;;) {
      if (this.#error) throw this.#error;
      const chunk: Uint8Array | null = this.#socket.read();
      if (chunk) return this.#fill(into, chunk);
      if (this.#socket.readableEnded || this.#socket.destroyed) return null;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }

  #fill(into: Uint8Array, chunk: Uint8Array): number {
    into.set(chunk.subarray(0, into.length));
    if (chunk.length > into.length) this.#socket.unshift(chunk.subarray(into.length));
    return Math.min(chunk.length, into.length);
  }

  async write(bytes: Uint8Array): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#socket.write(bytes, (error) => error ? reject(error) : resolve());
    });
    return bytes.length;
  }

  rest(isResting: boolean): void {
    this.#isResting = isResting;
    this.#notice();
  }

  close(): void {
    this.#socket.destroy();
  }
}
