/** Periods of ledgers and lists, and statements on paper. */
export const LEDGER_STYLE = `
.periods { display: flex; flex-wrap: wrap; gap: .8rem 1.5rem; align-items: flex-end; justify-content: space-between; }
.presets { display: flex; flex-wrap: wrap; gap: .4rem; }
.presets a { border: 1px solid var(--line); border-radius: 99px; padding: .3rem .8rem; text-decoration: none; color: var(--text); background: var(--card); }
.presets a[aria-current] { border-color: var(--accent); background: var(--accent-soft); color: var(--accent); font-weight: 600; }
.links { display: inline-flex; gap: .9rem; white-space: nowrap; }
textarea { height: auto; resize: vertical; }
textarea.mono { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .85rem; white-space: pre; }
progress { width: 100%; height: .8rem; accent-color: var(--accent); }
.faults { margin: 0; padding-left: 1.2rem; display: grid; gap: .3rem; overflow-wrap: anywhere; }
@media print {
  .side, .skip, .title .actions, .up, .pager, .periods, .copy, .message.done { display: none; }
  body { background: #fff; color: #000; }
  main { padding: 0; max-width: none; }
  .card { border: 0; padding: 0; }
  .scroll { overflow: visible; margin: 0; padding: 0; }
  .minor { display: table-cell; }
  tr, h2 { break-inside: avoid; break-after: auto; }
  thead { display: table-header-group; }
  a { color: inherit; text-decoration: none; }
}
`;
