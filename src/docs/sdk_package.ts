import { once } from "../base/once.ts";
import { staticAnswer } from "../http/static_answer.ts";
import PACKED from "./assets/sdk_package.txt" with { type: "text" };

/** What npm installs: whoever builds a shop needs nothing else of the gateway. */
export const sdkPackage = once(() =>
  staticAnswer(Uint8Array.fromBase64(PACKED), { headers: { "content-type": "application/gzip" } })
);
