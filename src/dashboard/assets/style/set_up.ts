/** The steps of a new installation. */
export const SET_UP = `
.set-up { padding: 0 1rem 3rem; }
.set-up header, .set-up main { max-width: 44rem; margin: 0 auto; padding: 0; }
.set-up .brand { position: static; height: auto; padding: 1.2rem 0; color: var(--accent); }
.set-up main { display: grid; gap: 1.2rem; }
.set-up .card { padding: clamp(1.1rem, 4vw, 2.2rem); display: grid; gap: 1.1rem; }
.set-up .field input, .set-up .field select { height: 2.6rem; }
.set-up .codes { columns: 3; padding-left: 2.8rem; }
.set-up .things { list-style: none; margin: 0; padding: 0; display: grid; gap: .6rem; }
.set-up .coin { display: grid; gap: .5rem; }
.set-up .coin .pair { grid-template-columns: repeat(3, minmax(0, 1fr)); }
.set-up .coin label { font-size: .85rem; }
.set-up-steps { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(4, 1fr); gap: .5rem; }
.set-up-steps li { border-top: 3px solid var(--line-strong); padding-top: .5rem; color: var(--quiet); font-size: .9rem; display: flex; gap: .4rem; }
.set-up-steps .past { border-color: var(--good); }
.set-up-steps [aria-current] { border-color: var(--accent); color: var(--text); font-weight: 620; }
@media (max-width: 40rem) {
  .set-up-steps { grid-template-columns: repeat(4, auto); }
  .set-up-steps li:not([aria-current]) .step-name { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
  .set-up-steps [aria-current] { min-width: 9rem; }
  .set-up .codes { columns: 2; }
}
`;
