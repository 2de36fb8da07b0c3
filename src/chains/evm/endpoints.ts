import { NodeError } from "../chain.ts";
import { invariant } from "../../base/assert.ts";
import { connectRpc, type Rpc } from "./rpc.ts";

/** Which node is asked. The only file that knows there are several. */
export interface Endpoints {
  /** The whole question goes to one node; after a NodeError it starts over on the next one. */
  read<T>(ask: (rpc: Rpc) => Promise<T>): Promise<T>;
  /** Every node on its own, and what each made of it. */
  each<T>(ask: (rpc: Rpc) => Promise<T>): Promise<EndpointAnswer<T>[]>;
}

export type EndpointAnswer<T> =
  | { readonly host: string; readonly ok: true; readonly value: T }
  | { readonly host: string; readonly ok: false; readonly error: NodeError };

export interface EndpointsOptions {
  readonly rpcUrls: readonly string[];
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
}

const TRIES_MAX = 3;

export function connectEndpoints({ rpcUrls, ...rest }: EndpointsOptions): Endpoints {
  invariant(rpcUrls.length > 0, "A network needs at least one node URL");
  const rpcs = rpcUrls.map((url) => connectRpc({ url, ...rest }));
  let sticky = 0;

  async function read<T>(ask: (rpc: Rpc) => Promise<T>): Promise<T> {
    const errors: NodeError[] = [];
    for (let tries = 0; tries < Math.min(TRIES_MAX, rpcs.length); tries++) {
      const asked = (sticky + tries) % rpcs.length;
      try {
        const value = await ask(rpcs[asked]!);
        sticky = asked;
        return value;
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    throw new NodeError(errors.map((error) => error.message).join("; "), { cause: errors });
  }

  async function each<T>(ask: (rpc: Rpc) => Promise<T>): Promise<EndpointAnswer<T>[]> {
    return await Promise.all(rpcs.map(async ({ host }, index): Promise<EndpointAnswer<T>> => {
      try {
        return { host, ok: true, value: await ask(rpcs[index]!) };
      } catch (error) {
        if (!(error instanceof NodeError)) throw error;
        return { host, ok: false, error };
      }
    }));
  }

  return { read, each };
}
