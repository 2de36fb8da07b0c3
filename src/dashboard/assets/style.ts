import { LEDGER_STYLE } from "./style/ledger.ts";

/** One style sheet for all pages: light and dark, narrow and wide. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --back: #f6f7f8; --card: #ffffff; --text: #16191d; --quiet: #565e68; --line: #dfe3e7;
  --accent: #0b6b63; --accent-text: #ffffff; --accent-soft: #e2f2f0; --field: #ffffff;
  --field-line: #7b848e;
  --good: #176639; --good-back: #e3f4e9; --bad: #a81f1f; --bad-back: #fdeaea;
  --under-way: #7a4c00; --under-way-back: #fdf1d9; --plain-back: #edeff2;
  --bar-in: #0f8a7f; --bar-out: #8a63d2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #111418; --card: #191d23; --text: #e7eaee; --quiet: #a2abb6; --line: #2c323a;
    --accent: #58cabd; --accent-text: #06211e; --accent-soft: #16302e; --field: #12161b;
    --field-line: #6c7682;
    --good: #7fdba2; --good-back: #14301f; --bad: #ff9c98; --bad-back: #3b1a1c;
    --under-way: #f3c56b; --under-way-back: #352a12; --plain-back: #262c34;
    --bar-in: #45c4b5; --bar-out: #ab8df0;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
body { margin: 0; background: var(--back); color: var(--text); font-variant-numeric: tabular-nums; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 0; }
h3 { font-size: .95rem; margin: 0; }
p { margin: 0; }
a { color: var(--accent); text-underline-offset: .15em; }
code, .mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .92em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
.quiet { color: var(--quiet); }
.small { font-size: .87rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -999px; top: 0; padding: .5rem 1rem; background: var(--card); z-index: 9; }
.skip:focus { left: 0; }

.frame { display: grid; grid-template-columns: 14rem minmax(0, 1fr); min-height: 100vh; }
.side { padding: 1.25rem 1rem; border-right: 1px solid var(--line); background: var(--card);
  display: flex; flex-direction: column; gap: 1.1rem; position: sticky; top: 0; height: 100vh; overflow-y: auto; }
.brand { font-weight: 750; letter-spacing: .04em; text-decoration: none; color: var(--text); padding: 0 .6rem; font-size: 1.1rem; }
.side nav { display: flex; flex-direction: column; gap: 1rem; flex: 1; }
.group-name { font-size: .74rem; letter-spacing: .06em; text-transform: uppercase; color: var(--quiet); padding: 0 .6rem .25rem; }
.side ul { list-style: none; margin: 0; padding: 0; }
.side li a { display: block; padding: .3rem .6rem; border-radius: 6px; color: var(--text); text-decoration: none; }
.side li a:hover { background: var(--plain-back); }
.side li a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
.who { display: flex; flex-direction: column; align-items: flex-start; gap: .15rem; padding: .75rem .6rem 0; border-top: 1px solid var(--line); }
.who a { color: var(--text); overflow-wrap: anywhere; }
main { padding: 1.75rem 2rem 4rem; display: flex; flex-direction: column; gap: 1.25rem; max-width: 82rem; width: 100%; }
.title { display: flex; justify-content: space-between; align-items: flex-end; gap: 1rem; flex-wrap: wrap; }
.up { font-size: .87rem; text-decoration: none; }
.actions { display: flex; gap: .6rem; flex-wrap: wrap; align-items: center; }

.guest { display: grid; place-items: center; min-height: 100vh; padding: 1rem; }
.guest main { max-width: 26rem; padding: 2rem; }
.guest .brand { padding: 0; color: var(--accent); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1.15rem 1.25rem;
  display: flex; flex-direction: column; gap: .9rem; min-width: 0; }
.card-title { display: flex; justify-content: space-between; gap: 1rem; align-items: baseline; flex-wrap: wrap; }
.grid { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); align-items: start; }
.tiles { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr)); }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1.1rem; color: inherit; text-decoration: none; }
a.tile:hover { border-color: var(--accent); }
.tile .figure { font-size: 1.6rem; font-weight: 650; line-height: 1.2; display: block; }

.message { border-radius: 8px; padding: .65rem .9rem; border: 1px solid; overflow-wrap: anywhere; }
.message.done { color: var(--good); background: var(--good-back); }
.message.fault { color: var(--bad); background: var(--bad-back); }
.message.warn { color: var(--under-way); background: var(--under-way-back); }
.empty { color: var(--quiet); padding: .4rem 0; }

.scroll { position: relative; overflow-x: auto; margin: 0 -1.25rem; padding: 0 1.25rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .5rem .9rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
tr > :last-child { padding-right: 0; }
tbody tr:last-child > td { border-bottom: 0; }
th { font-size: .8rem; font-weight: 600; color: var(--quiet); white-space: nowrap; }
.number { text-align: right; white-space: nowrap; }
td .actions { flex-wrap: nowrap; }
td .actions button { white-space: nowrap; }
.money { white-space: nowrap; }
time { white-space: nowrap; }
.hash { display: inline-flex; gap: .4rem; align-items: baseline; }
td code { white-space: nowrap; }
td .hash { flex-wrap: wrap; gap: 0 .4rem; }
.whole { overflow-wrap: anywhere; }
td > .whole { display: inline-block; min-width: 8rem; }
.status { display: inline-block; padding: .05rem .5rem; border-radius: 99px; font-size: .85rem; white-space: nowrap;
  background: var(--plain-back); color: var(--text); }
.status.good { background: var(--good-back); color: var(--good); }
.status.bad { background: var(--bad-back); color: var(--bad); }
.status.under-way { background: var(--under-way-back); color: var(--under-way); }
.changed { background: var(--accent-soft); border-radius: 4px; }

.facts { margin: 0; display: grid; gap: .1rem; }
.facts > div { display: grid; grid-template-columns: minmax(8rem, 13rem) minmax(0, 1fr); gap: .3rem 1rem; padding: .35rem 0; border-bottom: 1px solid var(--line); }
.facts > div:last-child { border-bottom: 0; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.timeline { list-style: none; margin: 0; padding: 0 0 0 1.1rem; border-left: 2px solid var(--line); display: grid; gap: .8rem; }
.timeline li { position: relative; }
.timeline li::before { content: ""; position: absolute; left: -1.5rem; top: .4rem; width: .7rem; height: .7rem; border-radius: 50%; background: var(--accent); border: 2px solid var(--card); }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
details > summary { cursor: pointer; color: var(--accent); }
td pre { min-width: 15rem; }
.codes { columns: 2; list-style: none; margin: 0; padding: 0; font-size: 1.05rem; }
.secret { border: 1px dashed var(--field-line); border-radius: 8px; padding: .7rem .9rem; overflow-wrap: anywhere; }
.qr { width: 12rem; height: 12rem; max-width: 100%; border-radius: 6px; border: 1px solid var(--line); }
.chart { width: 100%; height: auto; display: block; }
.chart .in { fill: var(--bar-in); } .chart .out { fill: var(--bar-out); }
.chart .axis { stroke: var(--line); } .chart text { fill: var(--quiet); font-size: 10px; }
.figure-block { margin: .4rem 0 0; }
.key { display: inline-block; width: .7rem; height: .7rem; border-radius: 2px; margin-right: .35rem; }
.key.in { background: var(--bar-in); } .key.out { background: var(--bar-out); }

form.column { display: flex; flex-direction: column; gap: .95rem; max-width: 34rem; align-items: flex-start; }
form.inline, form.filter { display: flex; gap: .7rem; flex-wrap: wrap; align-items: flex-end; }
.field { display: flex; flex-direction: column; gap: .25rem; width: 100%; }
form.inline .field, form.filter .field { width: auto; min-width: 8.5rem; flex: 0 1 auto; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr)); gap: .95rem; width: 100%; }
label, legend { font-weight: 550; font-size: .93rem; }
label .quiet { font-weight: 400; }
input, select, textarea { font: inherit; color: inherit; background: var(--field); border: 1px solid var(--field-line);
  border-radius: 7px; padding: .45rem .6rem; width: 100%; height: 2.4rem; }
input.mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
input[aria-invalid] { border-color: var(--bad); }
input[type=checkbox] { width: 1.05rem; height: 1.05rem; margin: .2rem 0 0; accent-color: var(--accent); flex: none; }
.check, .boxes label { display: flex; gap: .5rem; font-weight: 400; align-items: flex-start; }
fieldset { border: 1px solid var(--line); border-radius: 8px; padding: .6rem .9rem .8rem; margin: 0; width: 100%; }
.boxes { display: grid; gap: .3rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); }
.hint { color: var(--quiet); font-size: .87rem; }
.field-fault { color: var(--bad); font-size: .9rem; }
button, .button { font: inherit; font-weight: 600; border: 1px solid transparent; border-radius: 7px; padding: .45rem .95rem; min-height: 2.4rem;
  cursor: pointer; background: var(--accent); color: var(--accent-text); text-decoration: none; display: inline-block; }
button:hover, .button:hover { filter: brightness(1.08); }
button.plain, .button.plain { background: transparent; color: var(--text); border-color: var(--field-line); font-weight: 500; }
button.stop { background: #b3261e; color: #fff; }
button.danger { background: transparent; color: var(--bad); border-color: var(--bad); }
button.link { background: none; color: var(--accent); padding: 0; min-height: 1.6rem; font-weight: 500; text-decoration: underline; text-underline-offset: .15em; }
button.copy { background: transparent; color: var(--accent); border-color: var(--line); font-weight: 500; padding: 0 .4rem; min-height: 1.5rem; font-size: .8rem; white-space: nowrap; flex: none; }
.pager { display: flex; gap: .6rem; padding-top: .4rem; }
dialog { border: 1px solid var(--line); border-radius: 12px; background: var(--card); color: var(--text); padding: 1.4rem;
  max-width: min(28rem, calc(100vw - 2rem)); overflow-wrap: anywhere; }
dialog::backdrop { background: rgb(0 0 0 / .45); }
dialog p { margin-bottom: 1.1rem; }
dialog code { display: block; margin: .35rem 0; }
dialog .actions { justify-content: flex-end; }

@media (max-width: 52rem) {
  .frame { display: block; }
  .side { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line); padding: .8rem 1rem; gap: .6rem; }
  .side nav { flex-direction: row; flex-wrap: wrap; gap: .1rem .8rem; }
  .side .group { display: contents; }
  .group-name { display: none; }
  .side ul { display: contents; }
  .side li a { padding: .25rem .45rem; }
  .side .brand { padding: 0 .45rem; }
  .who { flex-direction: row; flex-wrap: wrap; gap: .3rem .9rem; padding: .5rem .45rem 0; align-items: baseline; }
  main { padding: 1.1rem 1rem 3rem; }
  .facts > div { grid-template-columns: 1fr; gap: 0; }
  .minor { display: none; }
  .stock .money { white-space: normal; }
}
@media (min-width: 52.01rem) and (max-height: 56rem) {
  .side { padding-block: .7rem; gap: .5rem; }
  .side nav { gap: .35rem; }
  .side li a { padding-block: .06rem; }
  .group-name { padding-bottom: 0; }
  .who { padding-top: .4rem; gap: 0; }
}
@media (prefers-reduced-motion: no-preference) {
  .changed { transition: background .3s; }
}
${LEDGER_STYLE}`;
