import { makeAsset } from "../../dashboard/assets/assets.ts";
import { ICON } from "../../dashboard/assets/icon.ts";
import SCRIPT from "./pay.js" with { type: "text" };
import { STYLE } from "./style.ts";

export const BASE = "/pay";

const style = makeAsset(BASE, { name: "style.css", type: "text/css", text: STYLE });
const script = makeAsset(BASE, { name: "script.js", type: "text/javascript", text: SCRIPT });

const icon = makeAsset(BASE, { name: "icon.svg", type: "image/svg+xml", text: ICON });

export const ASSETS = [style, script, icon];
export const PATHS = { style: style.path, script: script.path, icon: icon.path };
