/** How long fractions, with their points, may be in a column; the last for all of any currency. */
export const ROOMS = [2, 3, 4, 5, 6, 7, 8, 9, 13, 19];

/** The link of a row, which covers all of it. */
export const ROW_LINK = ":is(.row-link, [class*=at-] > a)";

/** Tables: sticky headers where there is room, cards on a phone. */
export const TABLES = `
${ROOMS.map((room) => `.f${room} { --frac: ${room - .4}ch; }`).join("\n")}
.scroll { position: relative; overflow-x: auto; margin: 0 -1.25rem; padding: 0 1.25rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .52rem .9rem .52rem 0; border-bottom: 1px solid var(--line); vertical-align: baseline; }
tr > :last-child { padding-right: 0; }
tbody tr:last-child > td { border-bottom: 0; }
tbody tr:hover > td { background: linear-gradient(var(--hover), var(--hover)); }
th { font-size: .83rem; font-weight: 600; color: var(--quiet); white-space: nowrap; padding-block: .35rem; }
.turn { color: inherit; text-decoration: none; }
.turn:hover { text-decoration: underline; }
.number { text-align: right; white-space: nowrap; }
td .actions { flex-wrap: nowrap; }
td .actions button, td code:not(.whole) { white-space: nowrap; }
tr > .number:not(:last-child) { padding-right: 1.5rem; }
td .hash { gap: .4rem; }
@media (hover: hover) { tr:not(:hover) td .hash > .copy:not(:focus-visible) { opacity: 0; } }
td > .whole:not(div) { display: inline-block; min-width: 8rem; }
td .cut { max-width: 12rem; }
td pre { min-width: 15rem; }
.changes { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 .7rem; margin: 0; font-size: .9rem; min-width: 14rem; max-width: 34rem; }
.changes del { color: var(--quiet); }
.changes ins { text-decoration: none; font-weight: 550; }
tfoot td { font-weight: 620; border-top: 1px solid var(--line-strong); border-bottom: 0; }
.pager { display: flex; gap: .6rem; padding-top: .4rem; align-items: center; }
@media (min-width: 60.01rem), print {
  .number .whole i { display: inline-block; }
}
@media (min-width: 90rem) { table:not(:has(th:nth-child(8))) td .cut { max-width: 16rem; } }
@media (min-width: 80rem) {
  .scroll.fits { overflow: visible; }
  .fits thead th { position: sticky; top: var(--top); background: var(--card); z-index: 2; box-shadow: inset 0 -1px var(--line); }
}
@media (max-width: 99.9rem) { .titled td .cut { max-width: 10rem; } }
@media (max-width: 89.9rem) { .titled td .cut { max-width: 8rem; } .first { display: none; } }
.titled td .cut.name { max-width: 15rem; }
@media (min-width: 85rem) { .titled td .cut.name { max-width: 24rem; } }
tr:has(${ROW_LINK}) { cursor: pointer; }
@media (scripting: none), (max-width: 40rem) {
  tbody tr { position: relative; }
  td ${ROW_LINK}::after { content: ""; position: absolute; inset: 0; }
  td :is(a, button):not(${ROW_LINK}) { position: relative; z-index: 1; }
}
@media (min-width: 40.01rem) {
  .phones { display: none !important; }
  @media (scripting: none) { td > :not(${ROW_LINK}) { position: relative; z-index: 1; } }
}
@media (max-width: 40rem) {
  .scroll.cards { overflow: visible; margin: 0 -1rem; padding: 0; }
  .cards table, .cards tbody { display: block; }
  .cards thead { display: none; }
  .cards tr { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .15rem .8rem; padding: .65rem 1rem; border-bottom: 1px solid var(--line); }
  .cards tr:has(> .at-amount) { grid-template-columns: minmax(55%, 1fr) auto; }
  .cards tr:last-child { border-bottom: 0; }
  .cards td { display: block; border: 0; padding: 0; min-width: 0; white-space: normal; grid-column: 1 / -1; overflow-wrap: anywhere; }
  .cards td[data-l] { display: flow-root; padding-left: 6.8rem; text-align: left; white-space: normal; font-size: .93rem; min-height: 1.5em; }
  .cards td[data-l]::before { content: attr(data-l); color: var(--quiet); float: left; width: 6.4rem; margin-left: -6.8rem; }
  .cards pre, .cards td > .whole, .changes { min-width: 0; }
  .scroll.cards td code { white-space: normal; overflow-wrap: anywhere; }
  .cards .at-first { font-weight: 600; text-align: left; }
  .cards .money :is(i, small) { min-width: 0; }
  .cards .at-title { grid-area: 1 / 1; font-weight: 600; text-align: left; }
  .cards .at-amount { grid-area: 1 / 2; text-align: right; font-weight: 620; white-space: normal; }
  .cards .at-state { grid-area: 2 / 1; }
  .cards .at-age { grid-area: 2 / 2; text-align: right; color: var(--quiet); font-size: .9rem; }
  .cards .at-age time { white-space: normal; }
  .cards tr > .number:not(:last-child) { padding-right: 0; }
  .cards td:empty, .cards td:has(> .none) { display: none; }
  .cards .at-none, .titled td.minor, .cards .at-title .copy { display: none; }
  .cards tr > .at-state, .cards tr > .at-title { text-align: left; }
  .cards .at-amount .money { white-space: normal; }
  .scroll.cards td .cut { max-width: 100%; }
  .cards .at-title .cut.name { white-space: normal; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
  .cards td.at-open, .cards td.at-open a { position: absolute; inset: 0; font-size: 0; z-index: 0; }
  .cards tbody tr:hover > td { background: none; }
}
`;
