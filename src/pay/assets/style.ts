import { ENDS_STYLE } from "../../base/strong_ends.tsx";

/** The background of links. */
export const DARK_CARD = "#1b1f28";

export const STYLE = `
:root{color-scheme:light dark;--text:#141821;--quiet:#58606e;--back:#f3f5f9;--card:#fff;--field:#f5f7fa;--line:#dde2ea;--go:#1b57d6;--on-go:#fff;--good:#0b6b3a;--good-back:#e3f5ea;--good-page:#d3efdf;--wait:#8a5300;--wait-back:#fff3dc;--bad:#a3211a;--bad-back:#fdeaea}
@media screen and (prefers-color-scheme:dark){:root{--text:#eceff4;--quiet:#a8b0be;--back:#0f1217;--card:${DARK_CARD};--field:#242a35;--line:#363e4c;--go:#8fb4ff;--on-go:#0b1733;--good:#7ee0a8;--good-back:#12301f;--good-page:#0c2417;--wait:#ffce7a;--wait-back:#33270f;--bad:#ffaaa4;--bad-back:#3a1816}}
*{box-sizing:border-box}
[hidden]{display:none!important}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.4 system-ui,sans-serif;overflow-wrap:anywhere}
body.paid{background:var(--good-page)}
main{padding:.6rem}
#order,.test{max-width:30rem;margin:0 auto}
#order{background:var(--card);border:1px solid var(--line);border-radius:1.1rem;overflow:hidden}
.test{padding:.3rem .75rem;margin-bottom:.5rem;border:1px dashed;border-radius:.5rem;font-size:.85rem}
.sum,.act,.foot{padding:.85rem 1rem}
.act,.foot{padding-top:0}
h1{font-size:1.05rem;line-height:1.3;margin:0}
h2{font-size:1rem;margin:0 0 .6rem}
p{margin:.4rem 0}
small{display:block}
.what,.of,.left,.quiet,.label,small{color:var(--quiet)}
.quiet,.label,.left,small{font-size:.85rem}
.what,.of{margin:0;font-size:.92rem}
.who{display:flex;gap:.7rem;align-items:center}.who div{flex:1;min-width:0}
.logo{max-width:40%;max-height:2.6rem}
.figures{display:flex;flex-wrap:wrap;align-items:flex-end;justify-content:space-between;gap:0 1rem;margin:.4rem 0}
.owed{font-size:2.3rem;font-weight:700;line-height:1.15;letter-spacing:-.02em;margin:0}
.left{margin:0;text-align:end;line-height:1.25}
.left time{display:block;font-size:1.15rem;font-weight:650;color:var(--text);font-variant-numeric:tabular-nums}
.state{border-radius:.75rem;padding:.6rem .8rem;background:var(--wait-back)}
.state p{margin:0}.state strong{color:var(--wait)}
.state.paid{background:var(--good-back);text-align:center;padding:1rem;margin-bottom:1rem}
.state.paid strong{color:var(--good)}.state.paid p:first-of-type{font-size:1.3rem}
.state.expired,.state.cancelled,.state.underpaid{background:var(--bad-back)}
.state:is(.expired,.cancelled,.underpaid) strong{color:var(--bad)}
.state.watching{background:none;padding:0;display:flex;gap:.6rem;align-items:center;line-height:1.3}
.state.watching strong{font-weight:600;color:var(--text)}
.state.watching::before{content:"";flex:none;width:.6rem;height:.6rem;border-radius:50%;background:var(--go);animation:watch 1.8s infinite}
@keyframes watch{50%{opacity:.2}}
@media (prefers-reduced-motion:reduce){.state.watching::before{animation:none}}
h1+.state{margin-top:.75rem}.what+.owed,h1+.owed{margin-top:.5rem}
.tick{display:block;width:3.5rem;height:3.5rem;margin:0 auto .5rem;fill:var(--good)}
.tick path,.sign path{fill:none;stroke:#fff;stroke-width:2.4;stroke-linecap:round;stroke-linejoin:round}
.tick path{stroke:var(--card);stroke-width:3}
.sign{flex:none;display:block;width:2rem;height:2rem}.sign text{fill:#fff;font-size:15px;font-weight:600}
progress{display:block;width:100%;height:.55rem;margin:.5rem 0 .2rem;accent-color:var(--go)}
.seen{list-style:none;margin:.5rem 0 0;padding:0}
.seen li{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem;padding:.3rem 0}
.coin{display:flex;gap:.6rem;align-items:center;margin:0 0 .5rem}.coin span{flex:1}.coin a{padding:.3rem 0}
.qr{display:block;width:min(100%,11.75rem);margin:0 auto;border-radius:.5rem}
.label{margin:.4rem 0 .1rem}
.field{display:flex;flex-wrap:wrap;gap:.3rem .6rem;align-items:center;justify-content:space-between;background:var(--field);border:1px solid var(--line);border-radius:.7rem;padding:.3rem .35rem .3rem .75rem;margin:0;min-height:2.9rem}
.field>:first-child{flex:1;min-width:0}.field b{color:var(--text)}
code{font:1rem/1.35 ui-monospace,monospace}
.ends{color:var(--quiet)}.exact{font-size:1.1rem}
.all,dd code{user-select:all;-webkit-user-select:all}
${ENDS_STYLE}
button,.button,select{font:inherit;min-height:2.75rem;border-radius:.7rem;border:1px solid var(--line)}
button,.button{padding:.4rem 1rem;background:transparent;color:var(--go);cursor:pointer;text-decoration:none;display:inline-flex;align-items:center;justify-content:center}
button:hover{border-color:var(--go)}
.copy{min-height:2.25rem;padding:.2rem .7rem;background:var(--card);font-size:.9rem;flex:none}
.button,.wallets button{width:100%;font-weight:600;background:var(--brand,var(--go));border-color:transparent;color:var(--on-brand,var(--on-go))}
.wallets{display:grid;gap:.5rem;margin:.6rem 0}#wallets{display:contents}#wallet-answer{margin:0}
.choices button{width:100%;gap:.1rem .7rem;margin:0 0 .45rem;padding:.5rem .75rem;text-align:start;color:var(--text);background:var(--field)}
.offer{flex:1;min-width:0;display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 .75rem}.offer span{flex:1 1 7.5rem}.offer>b{margin-inline-start:auto;text-align:end}.offer small{width:100%}
a{color:var(--go)}
:focus-visible{outline:3px solid var(--go);outline-offset:2px}
details{border-top:1px solid var(--line)}
details[open]{padding-bottom:.75rem}
summary{cursor:pointer;padding:.6rem 0;min-height:2.75rem;color:var(--go);font-size:.95rem}
.fault,.wrong{color:var(--bad)}
.poster{text-align:center}.poster .qr{width:min(100%,17rem)}
.amount{display:flex;gap:.5rem;align-items:center}
#amount{font:inherit;font-size:1.5rem;min-height:3rem;width:12rem;max-width:100%;border-radius:.7rem;border:1px solid var(--quiet);background:var(--card);color:var(--text);padding:0 .75rem}
.where{display:grid;gap:.5rem;margin-top:1rem}.where textarea{resize:none;font:1rem ui-monospace,monospace;width:100%;min-height:2.75rem;padding:.4rem .75rem;border:1px solid var(--line);border-radius:.7rem;background:var(--back);color:var(--text)}
.receipt{margin-top:1rem}
dl{margin:0}dl div{margin:.5rem 0}dt{color:var(--quiet);font-size:.85rem}dd{margin:0}dd code{display:block;font-size:.85rem}
[dir=rtl] dd code{text-align:right}
footer{padding:0 1rem 2rem;color:var(--quiet);font-size:.85rem}
.languages{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;justify-content:center}
select{background:var(--card);color:var(--text);padding:0 .5rem}
@media (min-width:54rem){
main{padding-top:3rem}
.sum,.act,.foot{padding:1.75rem 2rem}
.two{display:grid;grid-template:auto 1fr/1fr 1.2fr}
#order.two{max-width:56rem;background:var(--field)}
.two .act{grid-row:1/3;grid-column:2;background:var(--card);border-inline-start:1px solid var(--line)}
.two .foot{align-self:stretch;display:flex;flex-direction:column;justify-content:flex-end}
.two .figures{display:block;margin:1rem 0}.two .left{text-align:start;margin:.75rem 0}
.sum:not(:last-child){padding-bottom:.75rem}.foot{padding-top:0}
.owed{font-size:2.8rem}
.pay>.qr{width:14.5rem}
}
@media (hover:hover) and (pointer:fine){.wallets>a{background:none;border-color:var(--line);color:var(--go)}}
@media print{:root{color-scheme:light}body,body.paid{background:#fff}footer,button,.back{display:none!important}#order{border:0}}
`;
