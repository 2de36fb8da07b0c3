/** Tablets, phones and paper. */
export const NARROW = `
@media (max-width: 60rem) {
  .decide { flex-direction: column; align-items: stretch; }
  .decide form.column, .decide .field, .decide summary { max-width: none; width: 100%; align-items: stretch; text-align: center; }
  .decide button, .decide summary { width: 100%; min-height: 3rem; }
  .app { display: flex; flex-direction: column; padding-bottom: 4.2rem; }
  .top { height: auto; flex-wrap: wrap; padding: .5rem 1rem; position: static; gap: .5rem; }
  .brand { position: absolute; z-index: 6; height: 3.2rem; padding: 0 1rem; }
  .search { order: 9; flex: 1 0 12rem; max-width: none; }
  .top::before { content: ""; width: 4.6rem; }
  .mode, .top:not(:has(.mode))::before { margin-right: auto; }
  .switch { order: 8; max-width: none; flex: 1 0 8rem; }
  main { padding: 1rem 1rem 2rem; gap: 1rem; }
  .sections { position: fixed; inset: auto 0 0; top: auto; z-index: 6; padding: .25rem .4rem max(.25rem, env(safe-area-inset-bottom)); background: var(--card); border-top: 1px solid var(--line); }
  .sections ul { display: flex; justify-content: space-around; }
  .sections li { flex: 1 1 0; min-width: 0; }
  .sections a { flex-direction: column; gap: .1rem; padding: .3rem 0; font-size: min(.74rem, 2.75vw); text-align: center; }
  .sections a[aria-current] { background: none; }
  .app > main { order: 2; }
  .presets { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; margin: 0 -1rem; padding: .15rem 1rem; }
  .presets a { flex: none; }
  .title .button:not(.plain) { order: -1; }
  .facts > div { grid-template-columns: 1fr; gap: 0; }
  .minor { display: none; }
  .title.tabbed { flex-wrap: wrap; border: 0; }
  .tabs, .tabbed .tabs { flex: 1 0 100%; flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; border-bottom: 1px solid var(--line); }
  .tabs a { margin: 0; }
  .tabs a[aria-current] { scroll-initial-target: nearest; }
  .tabbed .actions { flex: 0 1 auto; padding: 0; }
  .stock .money { white-space: normal; }
  .card { padding: 1rem; }
  .scroll { margin: 0 -1rem; padding: 0 1rem; }
  .big { font-size: 1.6rem; }
}
.printed { display: none; }
@media print {
  .printed { display: block; }
  .top, .sections, .brand, .skip, .tabs, .up, .presets, .actions, .pager, .filters, form, button, .message { display: none !important; }
  .app { display: block; }
  body, .card { background: #fff; color: #000; border: 0; box-shadow: none; padding: 0; }
  main { padding: 0; max-width: none; }
  a { color: inherit; text-decoration: none; }
  .scroll { overflow: visible; margin: 0; padding: 0; }
  .minor { display: table-cell; }
  tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  thead { display: table-header-group; }
}
`;
