/** What a socket does once somebody has subscribed. */
export type Mood = (socket: WebSocket) => void;

export interface HeadServer extends AsyncDisposable {
  readonly url: string;
  /** Those that are open and have subscribed. */
  readonly open: ReadonlySet<WebSocket>;
  /** How often one was opened. */
  readonly opened: number;
  mood: Mood;
  push(head: unknown): void;
}

const SUBSCRIPTION = "0x51";

export function hashOf(height: number): string {
  return `0x${height.toString(16).padStart(64, "0")}`;
}

export function headOf(height: number) {
  return { number: `0x${height.toString(16)}`, hash: hashOf(height) };
}

export function notification(result: unknown, subscription = SUBSCRIPTION): string {
  const params = { subscription, result };
  return JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params });
}

/** A node's socket that answers as it should, and then does what a test wants. */
export function startHeadServer(
  { mood = () => {}, chainId = "0x7a69" }: { mood?: Mood; chainId?: string } = {},
): HeadServer {
  const open = new Set<WebSocket>();
  const state = { mood, opened: 0 };
  const answers: Record<string, string> = { eth_chainId: chainId, eth_subscribe: SUBSCRIPTION };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onopen = () => {
      state.opened++;
    };
    socket.onclose = () => open.delete(socket);
    socket.onerror = () => open.delete(socket);
    socket.onmessage = ({ data }) => {
      const { id, method } = JSON.parse(data);
      socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] }));
      if (method !== "eth_subscribe") return;
      open.add(socket);
      state.mood(socket);
    };
    return response;
  });
  return {
    url: `ws://127.0.0.1:${server.addr.port}/v2/a-secret-key`,
    open,
    get opened() {
      return state.opened;
    },
    set mood(mood: Mood) {
      state.mood = mood;
    },
    get mood() {
      return state.mood;
    },
    push: (head) => {
      for (const socket of open) socket.send(notification(head));
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.close();
      await server.shutdown();
    },
  };
}
