import type * as pool from "../pool/endpoints.ts";
import type { Protocol } from "../pool/protocol.ts";
import { headOn } from "./_heads.ts";
import { identityOn } from "./shown_identity.ts";
import { refOn } from "./refs.ts";
import { connectRpc, nothingLearned, type Rpc } from "./rpc.ts";

export type Endpoints = pool.Endpoints<Rpc>;

export const evmProtocol: Protocol<Rpc> = {
  open: (url) => {
    const learned = nothingLearned();
    return (line) => connectRpc({ url, learned, ...line });
  },
  identityOn,
  headOn,
  refOn,
};
