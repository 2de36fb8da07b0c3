import type { Fetch } from "./outside.ts";

export interface RpcRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

export class RpcError extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

/** One call or a list of them. What a node refuses is its answer. */
export function rpcServer(answer: (asked: RpcRequest) => unknown): Fetch {
  return async (request) => {
    const asked = await request.json() as RpcRequest | readonly RpcRequest[];
    const answered = Array.isArray(asked)
      ? await Promise.all(asked.map((one) => answerOne(answer, one)))
      : await answerOne(answer, asked as RpcRequest);
    return Response.json(answered);
  };
}

async function answerOne(
  answer: (asked: RpcRequest) => unknown,
  asked: RpcRequest,
): Promise<unknown> {
  const { id } = asked;
  try {
    return { jsonrpc: "2.0", id, result: await answer(asked) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { jsonrpc: "2.0", id, error: { code: error.code, message: error.message } };
  }
}
