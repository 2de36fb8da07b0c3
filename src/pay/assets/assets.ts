import { makeAsset } from "../../dashboard/assets/assets.ts";
import SCRIPT from "./pay.js" with { type: "text" };
import { STYLE } from "./style.ts";

export const BASE = "/pay";

const style = makeAsset(BASE, { name: "style.css", type: "text/css", text: STYLE });
const script = makeAsset(BASE, { name: "script.js", type: "text/javascript", text: SCRIPT });

export const ASSETS = [style, script];
export const PATHS = { style: style.path, script: script.path };
