export class RpcError extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}
