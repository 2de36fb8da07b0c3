/** Search, and what is shown about one record. */
export const SEARCH_STYLE = `
.hits { list-style: none; margin: 0; padding: 0; }
.hits li { display: flex; flex-wrap: wrap; gap: .2rem 1rem; justify-content: space-between; padding: .5rem 0; border-bottom: 1px solid var(--line); }
.hits li:last-child { border-bottom: 0; }
.hits li > a:first-child { flex: 1 1 18rem; min-width: 0; color: var(--text); text-decoration: none; }
.hits li > a:first-child strong { color: var(--accent); text-decoration: underline; }
mark { background: var(--under-way-back); color: var(--under-way); border-radius: 3px; }
`;
