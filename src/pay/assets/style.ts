import { GROUPED_STYLE } from "../../base/grouped.tsx";

/** The background of links. */
export const DARK_CARD = "#1b1f28";

export const STYLE = `
:root{color-scheme:light dark;--text:#171a21;--quiet:#5a6270;--back:#f4f5f8;--card:#fff;--line:#dde1e8;--go:#1b57d6;--on-go:#fff;--good:#0b6b3a;--good-back:#e5f5ec;--wait:#8a5300;--wait-back:#fff3dc;--bad:#a3211a;--bad-back:#fdeaea}
@media screen and (prefers-color-scheme:dark){:root{--text:#eceff4;--quiet:#a8b0be;--back:#11141a;--card:${DARK_CARD};--line:#343b49;--go:#8fb4ff;--on-go:#0b1733;--good:#7ee0a8;--good-back:#12301f;--wait:#ffce7a;--wait-back:#33270f;--bad:#ffaaa4;--bad-back:#3a1816}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:17px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:30rem;margin:0 auto;padding:1rem}
#order{background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:1.25rem}
h1{font-size:1.15rem;margin:0}h1+.state{margin-top:.75rem}
h2{font-size:1rem;margin:1rem 0 .5rem}
p{margin:.5rem 0}
.what,.quiet,.label,small{color:var(--quiet)}
.quiet,.label{font-size:.9rem}
.test{padding:.4rem .75rem;border:1px dashed;border-radius:.5rem;font-size:.9rem}
.owed{font-size:2.25rem;font-weight:700;line-height:1.15;margin:.75rem 0}
.owed small{font-size:1.1rem;font-weight:500}
.worth{color:var(--quiet);margin:-.5rem 0 .75rem}
.fault{color:var(--bad)}
.poster{text-align:center}
#amount{font:inherit;font-size:1.5rem;min-height:3rem;width:12rem;max-width:100%;border-radius:.6rem;border:1px solid var(--quiet);background:var(--card);color:var(--text);padding:0 .75rem}
.state{border-radius:.75rem;padding:.75rem 1rem;background:var(--wait-back)}
.state strong{color:var(--wait)}
.state.paid{background:var(--good-back)}.state.paid strong{color:var(--good)}
.state.expired,.state.cancelled,.state.underpaid{background:var(--bad-back)}
.state.expired strong,.state.cancelled strong,.state.underpaid strong{color:var(--bad)}
.state p{margin:0}.state .quiet{color:var(--text)}
progress{width:100%;height:.6rem;margin-top:.5rem;accent-color:var(--go)}
.label{margin:1rem 0 0}
.value{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.1rem 0;font-size:1.15rem}
code{font:1rem/1.6 ui-monospace,monospace}.all,.grouped,dd code{user-select:all;-webkit-user-select:all}${GROUPED_STYLE}button,.button{font:inherit;min-height:2.75rem;padding:.4rem 1rem;border-radius:.6rem;border:1px solid var(--go);background:transparent;color:var(--go);cursor:pointer;text-decoration:none;display:inline-flex;align-items:center;justify-content:center}
.button,.wallets button{background:var(--brand,var(--go));border-color:var(--brand,var(--go));color:var(--on-brand,var(--on-go))}
.logo{display:block;max-width:12rem;max-height:4rem;margin-bottom:.75rem}
[dir=rtl] :is(.owed,.worth,dd[dir=ltr]){text-align:right}[dir=rtl] .value{justify-content:flex-end}
[hidden]{display:none!important}
.choices button{width:100%;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;margin:.35rem 0;text-align:start;color:var(--text);border-color:var(--line)}
.choices small{display:block}.choices span{flex:1 1 7rem}.choices b{max-width:100%;margin-inline-start:auto;text-align:end}
button:hover{border-color:var(--go)}
:focus-visible{outline:3px solid var(--go);outline-offset:2px}
a{color:var(--go)}
details{border-top:1px solid var(--line);margin-top:.75rem}
summary{cursor:pointer;padding:.6rem 0;min-height:2.75rem}
.qr{display:block;width:min(100%,17rem);margin:0 auto;border-radius:.5rem}
.where{display:grid;gap:.5rem;margin-top:1rem}.where textarea{resize:none;font:1rem ui-monospace,monospace;width:100%;min-height:2.75rem;padding:.4rem .75rem;border:1px solid var(--line);border-radius:.6rem;background:var(--back);color:var(--text)}.where .wrong{color:var(--bad)}
.wallets{display:grid;gap:.5rem}#wallets{display:contents}
dl div{margin:.5rem 0}dt{color:var(--quiet);font-size:.9rem}dd{margin:0}dd code{display:block;font-size:.85rem}
footer{max-width:30rem;margin:0 auto;padding:0 1rem 2rem;color:var(--quiet);font-size:.9rem}
.languages{display:flex;gap:.5rem;align-items:center;justify-content:center;flex-wrap:wrap}
select{font:inherit;min-height:2.75rem;border-radius:.6rem;border:1px solid var(--line);background:var(--card);color:var(--text);padding:0 .5rem}
@media print{:root{color-scheme:light}body{background:#fff}footer,button,.back{display:none!important}#order{border:0}}
`;
