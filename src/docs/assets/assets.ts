import { ICON } from "../../dashboard/assets/icon.ts";
import { type Asset, makeAsset } from "../../dashboard/assets/assets.ts";
import { HOME_STYLE, STYLE as COMMON } from "../../dashboard/assets/style.ts";
import { BASE } from "../site.ts";
import SIGN from "./sign.js" with { type: "text" };
import SIGN_PAGE from "./sign_page.js" with { type: "text" };
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

/** The dashboard may be off, so everything is served from here. */
const style = makeAsset(BASE, {
  name: "style.css",
  type: "text/css",
  text: COMMON + HOME_STYLE + STYLE,
});
const script = makeAsset(BASE, { name: "script.js", type: "text/javascript", text: SCRIPT });
const icon = makeAsset(BASE, { name: "icon.svg", type: "image/svg+xml", text: ICON });

const sign = makeAsset(BASE, { name: "sign.js", type: "text/javascript", text: SIGN + SIGN_PAGE });

export const ASSETS: readonly Asset[] = [style, script, icon, sign];
export const ASSET_PATHS = {
  style: style.path,
  script: script.path,
  icon: icon.path,
  sign: sign.path,
};
