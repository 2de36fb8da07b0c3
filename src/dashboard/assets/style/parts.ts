/** Cards, messages, states, amounts, facts, charts and bars. */
export const PARTS = `
.card { background: var(--card); border: 1px solid var(--line); border-radius: var(--round); padding: 1.1rem 1.25rem; box-shadow: var(--shadow);
  display: flex; flex-direction: column; gap: .9rem; min-width: 0; }
.card-title { display: flex; justify-content: space-between; gap: .3rem 1rem; align-items: baseline; flex-wrap: wrap; }
.card-title > a { font-size: .93rem; }
.grid { display: grid; gap: var(--gap); grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); align-items: start; }

.message { border-radius: 8px; padding: .65rem .9rem; border: 1px solid var(--line-strong); background: var(--card); overflow-wrap: anywhere; }
.message.done { color: var(--good); background: var(--good-back); border-color: var(--good-line); }
.message.fault { color: var(--bad); background: var(--bad-back); border-color: var(--bad-line); }
.message.warn { color: var(--under-way); background: var(--under-way-back); border-color: var(--under-way-line); }
.message a { color: inherit; }
.empty { color: var(--quiet); padding: .6rem 0; }
.empty-state { display: grid; justify-items: center; gap: .5rem; padding: 2rem 1rem; text-align: center; color: var(--quiet); }
.empty-state strong { color: var(--text); font-size: 1.02rem; }

.status { display: inline-flex; align-items: center; gap: .4rem; padding: .05rem .55rem .05rem .45rem; border-radius: 99px; font-size: .86rem; font-weight: 550; white-space: nowrap; max-width: 100%;
  background: var(--plain-back); color: var(--text); }
.status.good { background: var(--good-back); color: var(--good); }
.status.bad { background: var(--bad-back); color: var(--bad); }
.status.under-way { background: var(--under-way-back); color: var(--under-way); }
.status::before, .mark::before, .verdict::before { content: ""; flex: none; width: .62rem; height: .62rem; border-radius: 50%; border: .13rem solid currentColor; }
.good::before, .bad::before { border: 0 !important; border-radius: 0 !important; background: currentColor; }
.good::before { clip-path: polygon(14% 44%, 0 60%, 38% 96%, 100% 22%, 84% 8%, 37% 66%); }
.bad::before { clip-path: polygon(18% 0, 50% 32%, 82% 0, 100% 18%, 68% 50%, 100% 82%, 82% 100%, 50% 68%, 18% 100%, 0 82%, 32% 50%, 0 18%); }
.under-way::before { background: linear-gradient(90deg, currentColor 50%, transparent 50%); }
.mark { display: inline-flex; align-items: center; }
.mark.good { color: var(--good); } .mark.bad { color: var(--bad); } .mark.under-way { color: var(--under-way); }

.money { white-space: nowrap; }
.money.whole { white-space: normal; overflow-wrap: anywhere; }
.money i { font-style: normal; display: inline-block; min-width: var(--frac, 0); text-align: left; }
.money.whole i { display: inline; }
.money small { color: var(--quiet); font-size: inherit; }
.above { display: block; font-weight: 600; }
.above + .money, .below { font-size: .88rem; color: var(--quiet); font-weight: 400; }
.below { display: block; }
.money [title], .money [title] i { text-decoration: underline dotted var(--field-line); text-underline-offset: .25em; }
.big { font-size: 2rem; font-weight: 680; letter-spacing: -.02em; line-height: 1.2; overflow-wrap: anywhere; }
.big .money { white-space: normal; }
.hash { display: inline-flex; gap: .4rem; align-items: baseline; max-width: 100%; }
.facts { margin: 0; display: grid; }
.things li { overflow-wrap: anywhere; }
.facts > div { display: grid; grid-template-columns: minmax(8rem, 12rem) minmax(0, 1fr); gap: .2rem 1rem; padding: .34rem 0; border-bottom: 1px solid var(--line); }
.facts > div:last-child { border-bottom: 0; }
dt { color: var(--quiet); overflow-wrap: anywhere; min-width: 0; }
dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
.timeline { list-style: none; margin: 0 0 0 .35rem; padding: 0 0 0 1.3rem; border-left: 2px solid var(--line); display: grid; gap: .6rem; }
.timeline li { position: relative; min-width: 0; overflow-wrap: anywhere; }
.timeline li::before { content: ""; position: absolute; left: calc(-1.3rem - 6px); top: .42rem; width: 10px; height: 10px; border-radius: 50%; background: var(--accent); box-shadow: 0 0 0 3px var(--card); }
.codes { columns: 2; font-size: 1.05rem; }
.secret { border: 1px dashed var(--field-line); border-radius: 8px; padding: .7rem .9rem; overflow-wrap: anywhere; }
.counter { text-align: center; display: grid; justify-items: center; gap: 1rem; }
.counter .qr { width: min(100%, 70vh, 30rem); height: auto; }
.counter input { font-size: 2rem; height: 3.6rem; text-align: center; }
.counter .message { font-size: 1.3rem; }
.counter .message.done { font-size: clamp(2rem, 9vw, 4rem); font-weight: 700; padding: 1em; }
.counter form button { width: 100%; min-height: 3rem; }
.logo { max-width: 12rem; max-height: 4rem; }
.qr { width: 12rem; height: 12rem; max-width: 100%; border-radius: 6px; border: 1px solid var(--line); }
.message form { margin-top: .5rem; }
.notes { display: grid; gap: .8rem; }
.notes li { border-left: 3px solid var(--line-strong); padding-left: .8rem; }
.notes bdi { white-space: pre-line; overflow-wrap: anywhere; }
.timeline .ahead { color: var(--quiet); } .timeline .ahead::before { background: var(--card); border: 2px solid var(--line-strong); }
.timeline .now { color: var(--text); font-weight: 600; } .timeline .now::before { border-color: var(--under-way); }
.record-head { gap: .5rem; }
.sum { display: flex; flex-wrap: wrap; gap: .2rem .9rem; align-items: baseline; }
.record { display: grid; gap: var(--gap); grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); align-items: start; }
.fold { display: block; } .fold > * + * { margin-top: .9rem; }
.fold > summary { display: flex; gap: .6rem; align-items: baseline; color: var(--text); }
.fold > summary::before { content: ""; flex: none; width: .4rem; height: .4rem; border: solid var(--quiet); border-width: 0 1.5px 1.5px 0; transform: translateY(-.1rem) rotate(-45deg); }
.fold[open] > summary::before { transform: translateY(-.15rem) rotate(45deg); }
.fold > summary::-webkit-details-marker { display: none; }
.fold:not([open]) { padding-block: .7rem; }
.folds { display: grid; }
.folds > .card { border-radius: 0; } .folds > .card + .card { border-top: 0; }
.folds > .card:first-child { border-radius: var(--round) var(--round) 0 0; } .folds > .card:last-child { border-radius: 0 0 var(--round) var(--round); }
.folds > .card:only-child { border-radius: var(--round); }
@media (max-width: 70rem) { .record { grid-template-columns: minmax(0, 1fr); } }
.inbox { display: grid; gap: 1rem; max-width: 52rem; }
.inbox ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .35rem; }
.decide { display: flex; gap: .75rem; align-items: flex-start; }
.decide summary { list-style: none; width: max-content; cursor: pointer; }
.decide details[open] { flex: 1; }
.decide details[open] form { margin-top: .75rem; }
`;
