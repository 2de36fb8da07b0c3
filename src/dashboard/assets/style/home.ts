/** The verdict, the bars of money, and charts. */
export const HOME = `
:root {
  --bar-in: #5a54e8; --bar-out: #c08a2e; --before: #c3c7d2;
  --part-1: #4f49dd; --part-2: #8f8bf0; --part-3: #c4a24e; --part-4: #3f8f78; --part-5: #a3abba;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bar-in: #8a87ff; --bar-out: #d9a850; --before: #4a5160;
    --part-1: #8a87ff; --part-2: #5f5cc4; --part-3: #d2b05f; --part-4: #5bb89d; --part-5: #6c7484;
  }
}
.verdict { display: flex; gap: .9rem; align-items: flex-start; padding: .65rem 1.25rem; border-radius: var(--round); border: 1px solid; font-size: 1rem; line-height: 1.45; }
.verdict::before { margin-top: .3rem; width: .8rem !important; height: .8rem !important; }
.total { display: flex; flex-wrap: wrap; gap: .1rem .9rem; align-items: baseline; }
.verdict.good { color: var(--good); background: var(--good-back); border-color: var(--good-line); }
.verdict.bad { color: var(--bad); background: var(--bad-back); border-color: var(--bad-line); }
.verdict.under-way { color: var(--under-way); background: var(--under-way-back); border-color: var(--under-way-line); }
.verdict.plain { background: var(--card); border-color: var(--line); }
.verdict p + p { margin-top: .2rem; }
.verdict a { color: inherit; font-weight: 600; }
.assets { list-style: none; margin: 0; padding: 0; display: grid; }
.assets > li { display: grid; gap: .5rem; padding: .9rem 0; border-top: 1px solid var(--line); min-width: 0; }
.assets > li:first-child { border-top: 0; padding-top: 0; }
.assets > li:last-child { padding-bottom: 0; }
.asset-head { display: flex; justify-content: space-between; align-items: baseline; gap: .2rem 1rem; flex-wrap: wrap; }
.asset-head .money { font-weight: 600; white-space: normal; overflow-wrap: anywhere; min-width: 0; }
.bar { display: block; width: 100%; height: .8rem; border-radius: 4px; background: var(--shade); }
.part-payable { fill: var(--part-1); background: var(--part-1); }
.part-for-fee { fill: var(--part-1); background: var(--part-1); opacity: .45; }
.part-on-deposits { fill: var(--part-2); background: var(--part-2); }
.part-sweeping { fill: var(--part-3); background: var(--part-3); }
.part-swept { fill: var(--part-4); background: var(--part-4); }
.part-held { fill: var(--part-5); background: var(--part-5); }
.part-gas { fill: var(--quiet); background: var(--quiet); }
.part-fees { fill: #b5739f; background: #b5739f; }
.legend { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 12rem), 1fr)); gap: .3rem 1.2rem; margin: 0; font-size: .9rem; }
.legend > div { min-width: 0; }
.legend dt { display: flex; align-items: center; gap: .4rem; }
.legend dd { font-weight: 550; }
.legend .money { white-space: normal; overflow-wrap: anywhere; }
@media (max-width: 40rem) { .legend > div { display: flex; justify-content: space-between; gap: .8rem; } .legend dd { text-align: right; flex: none; max-width: 60%; } }
.key { display: inline-block; width: .7rem; height: .7rem; border-radius: 3px; margin-right: .1rem; flex: none; }
.key.in { background: var(--bar-in); } .key.out { background: var(--bar-out); } .key.before { background: none; border: 2px solid var(--before); border-width: 2px 0 0; height: 0; border-radius: 0; border-top-style: dashed; width: 1.1rem; }
.attention { list-style: none; margin: 0; padding: 0; display: grid; }
.attention li { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; gap: .1rem .8rem; padding: .6rem 0; border-top: 1px solid var(--line); align-items: baseline; overflow-wrap: anywhere; }
.attention li:first-child { border-top: 0; padding-top: .1rem; } .attention li:last-child { padding-bottom: .1rem; }
.attention .more { grid-column: 2 / -1; }
.halves { display: grid; gap: var(--gap); grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); align-items: start; }
.figure-block { margin: 0; position: relative; display: grid; gap: .5rem; }
.plot { display: grid; grid-template: "y chart" 12rem ". x" auto / auto minmax(0, 1fr); gap: .3rem .7rem; position: relative; margin-top: .4rem; }
.plot .y { grid-area: y; display: flex; flex-direction: column; justify-content: space-between; margin-block: -.6em; text-align: right; }
.plot .x { grid-area: x; display: flex; justify-content: space-between; }
.plot .x, .plot .y { font-size: .8rem; line-height: 1.2em; color: var(--quiet); }
.chart { grid-area: chart; width: 100%; height: 12rem; display: block; }
.chart .in { fill: var(--bar-in); } .chart .out { fill: var(--bar-out); }
.chart .axis { fill: none; stroke: var(--line); } .chart .before { fill: none; stroke: var(--before); stroke-width: 2; stroke-dasharray: 4 4; }
.chart path { vector-effect: non-scaling-stroke; }
.keys { display: flex; gap: 1rem; flex-wrap: wrap; } .keys > span { display: inline-flex; gap: .4rem; align-items: center; }
.tip { position: absolute; top: 0; left: 0; pointer-events: none; background: var(--text); color: var(--back); border-radius: 7px; padding: .4rem .65rem; font-size: .86rem; white-space: pre-line; max-width: 80%; z-index: 3; }
.segments { display: inline-flex; border: 1px solid var(--line-strong); border-radius: 8px; overflow: hidden; }
.segments a { padding: .2rem .7rem; text-decoration: none; color: var(--quiet); font-size: .9rem; font-weight: 500; border-left: 1px solid var(--line); }
.segments a:first-child { border-left: 0; }
.segments a:hover { background: var(--hover); }
.segments a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 620; }
.filters-on { display: flex; flex-wrap: wrap; gap: .4rem .6rem; align-items: center; }
.chip { display: inline-flex; gap: .35rem; align-items: center; padding: .1rem .65rem; border: 1px solid var(--line-strong); border-radius: 99px; font-size: .9rem; text-decoration: none; color: var(--text); white-space: nowrap; }
.chip:hover { background: var(--hover); }
.chip[aria-current] { border-color: var(--accent); background: var(--accent-soft); color: var(--accent); font-weight: 600; }
@media (max-width: 70rem) { .halves { grid-template-columns: minmax(0, 1fr); } }
`;
