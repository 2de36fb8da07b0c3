import { sha256 } from "@noble/hashes/sha2.js";
import { toHex, utf8 } from "../../base/bytes.ts";
import { BASE } from "../visit.ts";
import { ICON } from "./icon.ts";
import { CHART_SCRIPT, HITS_SCRIPT, PASSKEY_SCRIPT, PAYOUT_SCRIPT, SCRIPT } from "./script.ts";
import { HITS_STYLE, HOME_STYLE, SET_UP_STYLE, STYLE } from "./style.ts";

export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: string;
}

/** Kept in the program, so that a compiled binary has them. A changed asset gets a new address. */
const style = makeAsset(BASE, { name: "style.css", type: "text/css", text: STYLE });
const script = makeAsset(BASE, { name: "script.js", type: "text/javascript", text: SCRIPT });
const icon = makeAsset(BASE, { name: "icon.svg", type: "image/svg+xml", text: ICON });
const home = makeAsset(BASE, { name: "home.css", type: "text/css", text: HOME_STYLE });
const charts = makeAsset(BASE, { name: "charts.js", type: "text/javascript", text: CHART_SCRIPT });
const passkeys = makeAsset(BASE, {
  name: "passkeys.js",
  type: "text/javascript",
  text: PASSKEY_SCRIPT,
});
const payout = makeAsset(BASE, { name: "payout.js", type: "text/javascript", text: PAYOUT_SCRIPT });

const setUp = makeAsset(BASE, { name: "set_up.css", type: "text/css", text: SET_UP_STYLE });
const hits = makeAsset(BASE, { name: "hits.css", type: "text/css", text: HITS_STYLE });
const steps = makeAsset(BASE, { name: "hits.js", type: "text/javascript", text: HITS_SCRIPT });

/** What only a few pages need. */
export const EXTRAS = {
  home: [home, charts],
  payout: [payout],
  search: [hits, steps],
  setUp: [setUp],
} as const;
export type Extra = keyof typeof EXTRAS;

export const ASSETS: readonly Asset[] = [
  ...[style, script, icon, home, charts, passkeys, payout, hits, steps, setUp],
];
export const ASSET_PATHS = {
  style: style.path,
  script: script.path,
  icon: icon.path,
  passkeys: passkeys.path,
};

export function assetResponse({ type, text }: Asset): Response {
  return new Response(text, {
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "cache-control": "public, max-age=31536000, immutable",
    },
  });
}

export function makeAsset(
  base: string,
  { name, type, text }: { name: string; type: string; text: string },
): Asset {
  const hash = toHex(sha256(utf8(text))).slice(0, 12);
  return { path: `${base}/assets/${hash}/${name}`, type, text };
}
