/** What the documentation adds to the dashboard's style sheet. */
export const STYLE = `
:root { --get: #0b6b63; --post: #7a3fb8; --delete: #a81f1f; --code-back: #f0f2f4; }
@media (prefers-color-scheme: dark) {
  :root { --get: #58cabd; --post: #c6a4f5; --delete: #ff9c98; --code-back: #22282f; }
}
html { scroll-padding-top: 1rem; }
.docs .columns { display: grid; grid-template-columns: 17rem minmax(0, 1fr); min-height: 100vh; }
.docs .side { position: sticky; top: 0; align-self: start; height: 100vh; overflow-y: auto; display: flex; flex-direction: column; gap: 1rem;
  padding: 0 1rem 2rem; border-right: 1px solid var(--line); background: var(--card); }
.docs .brand { position: static; padding: 0 .6rem; }
.docs .group-name { margin: 0 0 .2rem; padding: 0 .6rem; color: var(--quiet); font-size: .85rem; font-weight: 600; }
.docs .side ul { list-style: none; margin: 0; padding: 0; }
.docs .side li { max-width: none; }
.docs main { grid-area: auto; max-width: 58rem; padding: 2.25rem 2.75rem 4rem; gap: 1.5rem; }
.docs main.wide { max-width: 90rem; }
.side-top { display: flex; justify-content: space-between; align-items: center; }
.docs .brand span { color: var(--quiet); font-weight: 500; letter-spacing: 0; }
.menu-button { display: none; }
nav[popover] { position: static; inset: auto; margin: 0; border: 0; padding: 0; width: auto; height: auto;
  background: none; color: inherit; overflow: visible; display: flex; flex-direction: column; gap: 1.1rem; }
.docs .side li a { display: flex; justify-content: space-between; gap: .5rem; align-items: baseline; font-size: .93rem;
  padding: .22rem .6rem; border-radius: 6px; color: var(--text); text-decoration: none; }
.docs .side li a:hover { background: var(--hover); }
.docs .side li a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
.method { font: 650 .7rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: .03em; color: var(--get); }
.method.post { color: var(--post); }
.method.patch { color: var(--under-way); }
.method.delete { color: var(--delete); }

.docs h1 { font-size: 1.95rem; letter-spacing: -.02em; }
.docs h2 { font-size: 1.2rem; letter-spacing: -.01em; }
.docs h3 { font-size: 1rem; }
.docs p, .docs li { max-width: 46rem; }
.docs .first-steps li, .docs .rows li, .docs .fields li { max-width: none; }
.prose { display: flex; flex-direction: column; gap: 1rem; }
.prose h2 { margin-top: 1.4rem; }
.prose h3 { margin-top: .8rem; }
.prose ul, .prose ol { margin: 0; padding-left: 1.3rem; display: grid; gap: .35rem; }
.docs :not(pre) > code { background: var(--code-back); border-radius: 4px; padding: .08em .32em; overflow-wrap: anywhere; white-space: normal; }
.docs td { overflow-wrap: break-word; }
.docs td > code { white-space: nowrap; }
.docs .scroll { margin: 0; padding: 0; }

.hero { display: flex; flex-direction: column; gap: 1rem; padding: 1rem 0 .5rem; }
.hero h1 { font-size: clamp(1.9rem, 4vw, 2.7rem); line-height: 1.12; max-width: 20ch; }
.hero p { font-size: 1.1rem; color: var(--quiet); }
.first-steps { list-style: none; counter-reset: step; margin: 0; padding: 0; display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 12rem), 1fr)); }
.first-steps li { counter-increment: step; position: relative; background: var(--card); border: 1px solid var(--line); border-radius: 12px;
  padding: 1.1rem 1.2rem 1.2rem; display: flex; flex-direction: column; gap: .4rem; }
.first-steps li::before { content: counter(step); width: 1.7rem; height: 1.7rem; border-radius: 50%; display: grid; place-items: center;
  background: var(--accent-soft); color: var(--accent); font-weight: 700; font-size: .85rem; margin-bottom: .3rem; }
.first-steps li:hover { border-color: var(--accent); }
.first-steps h2 { font-size: 1.02rem; }
.first-steps a { color: inherit; text-decoration: none; }
.first-steps a::after { content: ""; position: absolute; inset: 0; }
.operations { display: flex; flex-direction: column; gap: 1rem; }
.rows { list-style: none; margin: 0; padding: 0; }
.rows li { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: .2rem 1rem; padding: .5rem 0; border-top: 1px solid var(--line); }
.rows li:first-child { border-top: 0; }
.rows code { background: none !important; color: var(--quiet); }
.rows .method { display: inline-block; min-width: 3.6rem; }

.operation { display: grid; gap: 1.5rem 3rem; grid-template-columns: minmax(0, 1fr); }
.operation .title { display: flex; flex-direction: column; align-items: flex-start; gap: .5rem; }
.target { font-size: 1.02rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .4rem .8rem; }
.target .method { font-size: .85rem; margin-right: .35rem; }
.target code { background: none !important; padding: 0 !important; }
.said, .shown { display: flex; flex-direction: column; gap: 1.5rem; min-width: 0; }
.said > section { display: flex; flex-direction: column; gap: .7rem; }
.said > section > h2 { border-bottom: 1px solid var(--line); padding-bottom: .45rem; }
@media (min-width: 76rem) {
  .operation { grid-template-columns: minmax(0, 1fr) minmax(22rem, 30rem); }
  .operation .title { grid-column: 1 / -1; }
  .shown { position: sticky; top: 1.5rem; align-self: start; max-height: calc(100vh - 3rem); overflow-y: auto; }
}

.fields { list-style: none; margin: 0; padding: 0; }
.fields > li { padding: .65rem 0; border-bottom: 1px solid var(--line); display: grid; gap: .2rem; }
.fields > li:last-child { border-bottom: 0; }
.fields .fields { border-left: 2px solid var(--line); padding-left: 1rem; margin-top: .4rem; }
.field-name { display: flex; flex-wrap: wrap; gap: .2rem .6rem; align-items: baseline; }
.field-name > code { background: none !important; padding: 0 !important; font-weight: 650; }
.field-name > span { font-size: .87rem; }
.required { color: var(--under-way); font-weight: 600; }
.values { display: flex; flex-wrap: wrap; gap: .3rem; }
.refusals td:first-child { font-variant-numeric: tabular-nums; }
.refusals td { min-width: 4rem; }
.refusals td:last-child { min-width: 13rem; }
.refusals td:nth-child(2) { min-width: 13rem; }

.code { border: 1px solid var(--line); border-radius: 10px; background: var(--card); overflow: hidden; min-width: 0; flex-shrink: 0; }
.code-head { display: flex; justify-content: space-between; align-items: center; gap: 1rem; min-height: 2.3rem; padding: .25rem .5rem .25rem .95rem;
  font-size: .84rem; font-weight: 600; color: var(--quiet); border-bottom: 1px solid var(--line); }
.code pre { padding: .85rem .95rem; overflow: auto; white-space: pre; overflow-wrap: normal; max-height: 34rem; line-height: 1.55; }
.code.bare { position: relative; }
.code.bare .code-head { position: absolute; right: 0; border: 0; }
.copy-code { background: transparent; color: var(--accent); border-color: var(--line); font-weight: 500; padding: 0 .55rem; min-height: 1.65rem; font-size: .8rem; }
.j-name { color: var(--accent); } .j-text { color: var(--text); } .j-value { color: var(--post); }
.shown .tabs > label { padding: .2rem .6rem; font-size: .84rem; }
.tabs { border: 0; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: .3rem; min-width: 0; }
.tabs > label { padding: .35rem .85rem; border-radius: 99px; border: 1px solid var(--line); cursor: pointer; font-weight: 500; font-size: .9rem; }
.tabs > label:hover { border-color: var(--accent); }
.tabs > input:checked + label { background: var(--accent); color: var(--accent-text); border-color: var(--accent); }
.tabs > input:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
.tab { display: none; order: 1; width: 100%; padding-top: .5rem; flex-direction: column; gap: 1rem; }
.tabs > input:checked + label + .tab { display: flex; }

.sign, #sign { display: flex; flex-direction: column; gap: 1.5rem; }
.sign textarea { height: auto; min-height: 4.5rem; resize: vertical; }
.sign-columns { display: grid; gap: 1.5rem 2.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); align-items: start; }
.results { display: flex; flex-direction: column; gap: .9rem; min-width: 0; }
.lines { margin: 0; padding: 0; list-style: none; counter-reset: line; border: 1px solid var(--line); border-radius: 10px; background: var(--card); overflow: hidden; }
.lines li { counter-increment: line; display: grid; grid-template-columns: 1.6rem minmax(0, 1fr); padding: .55rem .9rem; border-bottom: 1px solid var(--line); max-width: none; }
.lines li:last-child { border-bottom: 0; }
.lines li::before { content: counter(line); grid-row: 1 / 4; color: var(--accent); font-weight: 700; }
.lines code { justify-self: start; }
.explained { display: flex; flex-direction: column; gap: .5rem; border-top: 1px solid var(--line); padding-top: 1.2rem; }
.explained h2 { margin: 0; font-size: 1.08rem; }
tr.wrong td { color: var(--bad); }
tr.wrong td:first-child { font-weight: 650; }
#findings td:nth-child(2), #findings td:nth-child(3) { overflow-wrap: anywhere; min-width: 9rem; }

.neighbours { display: flex; justify-content: space-between; gap: 1rem; border-top: 1px solid var(--line); padding-top: 1.2rem; margin-top: 1.5rem; }
.neighbours a { display: flex; flex-direction: column; text-decoration: none; font-weight: 600; }
.neighbours a[rel=next] { text-align: right; margin-left: auto; }
@media (max-width: 52rem) {
  .docs main { padding: 1.4rem 1.1rem 3rem; }
  .docs .columns { grid-template-columns: minmax(0, 1fr); grid-template-rows: auto 1fr; }
  .docs .side { z-index: 5; height: auto; overflow: visible; padding: 0 1.1rem; border: 0; border-bottom: 1px solid var(--line); }
  .menu-button { display: inline-block; min-height: 2rem; padding: .1rem .8rem; }
  .docs nav[popover]:not(:popover-open) { display: none; }
  .docs nav[popover]:popover-open { position: fixed; inset: 3.6rem .8rem auto; margin: 0; max-height: calc(100vh - 5rem); overflow-y: auto;
    display: flex; flex-direction: column; flex-wrap: nowrap; gap: 1rem; padding: 1rem; border: 1px solid var(--line); border-radius: 12px; background: var(--card); box-shadow: 0 12px 40px rgb(0 0 0 / .25); }
  .docs .side .group, .docs .side ul { display: block; }
  .docs .group-name { display: block; }
  .docs .side li a { padding: .45rem .6rem; }
  .rows li { grid-template-columns: minmax(0, 1fr); }
  .refusals thead { position: absolute; clip-path: inset(50%); }
  .refusals tr { display: grid; grid-template-columns: 2.6rem minmax(0, 1fr); padding: .7rem 0; border-bottom: 1px solid var(--line); }
  .refusals td { border: 0; padding: 0; min-width: 0 !important; }
  .refusals td:last-child { grid-column: 2; color: var(--quiet); }
}
@media print {
  .side, .neighbours, .copy-code, .tabs > label { display: none !important; }
  .docs .columns { display: block; }
}
`;
