import { ICON } from "../../dashboard/assets/icon.ts";
import { type Asset, makeAsset } from "../../dashboard/assets/assets.ts";
import { STYLE as COMMON } from "../../dashboard/assets/style.ts";
import { BASE } from "../site.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

/** The dashboard may be off, so everything is served from here. */
const style = makeAsset(BASE, { name: "style.css", type: "text/css", text: COMMON + STYLE });
const script = makeAsset(BASE, { name: "script.js", type: "text/javascript", text: SCRIPT });
const icon = makeAsset(BASE, { name: "icon.svg", type: "image/svg+xml", text: ICON });

export const ASSETS: readonly Asset[] = [style, script, icon];
export const ASSET_PATHS = { style: style.path, script: script.path, icon: icon.path };
