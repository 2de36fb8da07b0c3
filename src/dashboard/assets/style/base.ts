import { ENDS_STYLE } from "../../../base/strong_ends.tsx";

/** Type and the smallest elements. */
export const ELEMENTS = `
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { font: 14.5px/1.5 "Inter", -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Arial, sans-serif;
  scroll-padding-top: calc(var(--top) + 1rem); -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--back); color: var(--text); font-variant-numeric: tabular-nums; }
h1 { font-size: 1.6rem; line-height: 1.25; font-weight: 680; margin: 0; letter-spacing: -.015em; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; font-weight: 650; margin: 0; letter-spacing: -.005em; overflow-wrap: anywhere; min-width: 0; }
h3 { font-size: .93rem; font-weight: 620; margin: 0; }
p { margin: 0; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: .18em; }
code, .mono, kbd { font-family: var(--mono); font-size: .92em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
svg.icon { width: 1.15rem; height: 1.15rem; fill: none; stroke: currentColor; stroke-width: 1.6;
  stroke-linecap: round; stroke-linejoin: round; flex: none; }
.quiet { color: var(--quiet); }
.small { font-size: .88rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -999px; top: 0; padding: .6rem 1rem; background: var(--card); z-index: 9; }
.skip:focus { left: 0; }
.whole { overflow-wrap: anywhere; }
code.whole { user-select: all; -webkit-user-select: all; }
${ENDS_STYLE}
.cut { display: inline-block; max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; }
time { white-space: nowrap; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: .85rem/1.5 var(--mono); }
summary { cursor: pointer; }
details > summary { color: var(--accent); }
.changed { background: var(--accent-soft); border-radius: 4px; }
@media (prefers-reduced-motion: no-preference) {
  .changed { transition: background .3s; }
}
`;
