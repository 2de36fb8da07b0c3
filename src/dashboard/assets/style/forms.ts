/** Fields, buttons and dialogs. */
export const FORMS = `
form.column { display: flex; flex-direction: column; gap: .95rem; max-width: 34rem; align-items: flex-start; }
form.inline, form.filter { display: flex; gap: .6rem .7rem; flex-wrap: wrap; align-items: flex-end; }
.field { display: flex; flex-direction: column; gap: .25rem; width: 100%; }
form.inline .field, form.filter .field { width: auto; min-width: 7.2rem; flex: 0 1 auto; }
form.filter .field:has(input:not([type=datetime-local])) { width: 9.2rem; }
form.filter select { max-width: 14rem; }
form.filter .field:has([type=search]) { flex: 1 1 14rem; max-width: 22rem; }
.filters > summary { width: max-content; padding: .3rem .2rem; }
@supports selector(::details-content) {
  @media (min-width: 40.01rem) {
    .filters > summary { display: none; }
    .filters::details-content { content-visibility: visible; }
  }
}
form.filter label { font-size: .86rem; color: var(--quiet); }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr)); gap: .95rem; width: 100%; }
label, legend { font-weight: 550; font-size: .93rem; }
label .quiet { font-weight: 400; }
input, select, textarea { font: inherit; color: inherit; background: var(--field); border: 1px solid var(--field-line);
  border-radius: 8px; padding: .4rem .65rem; width: 100%; height: 2.3rem; }
textarea { height: auto; min-height: 6rem; }
::placeholder { color: var(--quiet); opacity: 1; }
input.mono { font-family: var(--mono); }
input[aria-invalid] { border-color: var(--bad); }
input[type=checkbox] { width: 1.05rem; height: 1.05rem; margin: .2rem 0 0; accent-color: var(--accent); flex: none; }
.check, .boxes label { display: flex; gap: .5rem; font-weight: 400; align-items: flex-start; }
fieldset { border: 1px solid var(--line); border-radius: 8px; padding: .6rem .9rem .8rem; margin: 0; width: 100%; }
.boxes { display: grid; gap: .3rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); }
.hint { color: var(--quiet); font-size: .88rem; }
.field-fault { color: var(--bad); font-size: .9rem; }
button, .button { font: inherit; font-weight: 600; border: 1px solid transparent; border-radius: 8px; padding: .38rem .95rem; min-height: 2.3rem;
  cursor: pointer; background: var(--accent); color: var(--accent-text); text-decoration: none; display: inline-block; white-space: nowrap; }
button:hover, .button:hover { filter: brightness(1.08); }
button.plain, .button.plain { background: var(--card); color: var(--text); border-color: var(--line-strong); font-weight: 550; }
button.plain:hover, .button.plain:hover { background: var(--hover); filter: none; }
button.stop { background: #b3261e; color: #fff; }
button.danger { background: var(--card); color: var(--bad); border-color: var(--bad); }
button.link { background: none; color: var(--accent); padding: 0; min-height: 1.6rem; font-weight: 500; text-decoration: underline; text-underline-offset: .18em; }
button.copy { background: transparent; color: var(--accent); border-color: var(--line); font-weight: 500; padding: 0 .4rem; min-height: 1.5rem; font-size: .8rem; flex: none; }
dialog { border: 1px solid var(--line); border-radius: 12px; background: var(--card); color: var(--text); padding: 1.4rem; box-shadow: var(--shadow-high);
  max-width: min(28rem, calc(100vw - 2rem)); overflow-wrap: anywhere; }
dialog::backdrop { background: rgb(0 0 0 / .45); }
dialog p { margin-bottom: 1.1rem; }
#question > * { display: block; }
#question > [data-name]::before { content: attr(data-name); color: var(--quiet); }
#question > :first-child:not(:only-child) { font-size: 1.1rem; font-weight: 650; margin-bottom: .4rem; }
dialog code { margin: .35rem 0; }
dialog .actions { justify-content: flex-end; }
`;
