/** Periods of ledgers and lists. */
export const LEDGER_STYLE = `
.periods { display: flex; flex-wrap: wrap; gap: .8rem 1.5rem; align-items: flex-end; justify-content: space-between; }
.presets { display: flex; flex-wrap: wrap; gap: .4rem; }
.presets a { border: 1px solid var(--line); border-radius: 99px; padding: .3rem .8rem; text-decoration: none; color: var(--text); background: var(--card); }
.presets a[aria-current] { border-color: var(--accent); font-weight: 600; }
.sums { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; align-items: baseline; }
.sums ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; min-width: 0; }
.sums .money { overflow-wrap: anywhere; font-weight: 620; }
.list-head { display: flex; flex-wrap: wrap; gap: .4rem 1.5rem; justify-content: space-between; align-items: baseline; }
.fresh { font-size: .93rem; margin-left: auto; }
.links { display: inline-flex; gap: .9rem; white-space: nowrap; }
textarea { resize: vertical; }
textarea.mono { font-family: var(--mono); font-size: .85rem; white-space: pre; }
progress { width: 100%; height: .8rem; accent-color: var(--accent); }
.faults { margin: 0; padding-left: 1.2rem; display: grid; gap: .3rem; overflow-wrap: anywhere; }
`;
