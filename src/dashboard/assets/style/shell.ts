/** The frame around every page: top bar, sections, and both in their places on a phone. */
export const SHELL = `
.app { display: grid; grid-template: "brand top" auto "nav main" 1fr / 13rem minmax(0, 1fr); min-height: 100vh; }
.frame { display: contents; }
.brand { grid-area: brand; display: flex; align-items: center; gap: .55rem; height: var(--top); padding: 0 1.4rem; position: sticky; top: 0; z-index: 4;
  font-weight: 750; font-size: 1.05rem; letter-spacing: .03em; text-decoration: none; color: var(--text); }
svg.logo { width: 1.5rem; height: 1.5rem; flex: none; fill: #4740d4; }
.logo path { fill: none; stroke: #fff; stroke-width: 3.2; stroke-linecap: round; } .logo circle { fill: #fff; }
.top { grid-area: top; display: flex; align-items: center; gap: .6rem; height: var(--top); padding: 0 2rem; position: sticky; top: 0; z-index: 5;
  background: var(--back); border-bottom: 1px solid var(--line); }
.top form { display: flex; }
.search { position: relative; flex: 1; max-width: 30rem; align-items: center; margin-right: auto; }
.search .icon { position: absolute; left: .7rem; color: var(--quiet); pointer-events: none; }
.search input { padding-left: 2.2rem; padding-right: 2.2rem; height: 2.2rem; background: var(--card); border-color: var(--line-strong); text-overflow: ellipsis; }
.search kbd { position: absolute; right: .6rem; border: 1px solid var(--line-strong); border-radius: 4px; padding: 0 .35rem; color: var(--quiet); font-size: .8rem; pointer-events: none; }
.search:focus-within kbd { display: none; }
#found { left: 0; right: 0; max-width: none; } #found a > * { margin-right: .3rem; }
#found strong { font-weight: 550; } #found :not(strong) { color: var(--quiet); font-size: .88rem; }
.mode { margin-left: auto; display: inline-flex; align-items: center; gap: .35rem; padding: .1rem .6rem; border-radius: 99px; font-size: .85rem; font-weight: 600; border: 1px solid var(--line-strong); white-space: nowrap; }
.mode.demo, .mode.test { color: var(--under-way); border-color: var(--under-way-line); background: var(--under-way-back); border-style: dashed; }
.tool { position: relative; display: inline-flex; align-items: center; justify-content: center; width: 2.2rem; height: 2.2rem; border-radius: 8px; color: var(--text); text-decoration: none; list-style: none; }
.tool:hover { background: var(--hover); }
.tool[aria-current], .sections a[aria-current], .presets a[aria-current] { background: var(--accent-soft); color: var(--accent); }
.tool .count { position: absolute; top: -.1rem; right: -.25rem; min-width: 1.15rem; padding: 0 .25rem; border-radius: 99px; background: var(--bad); color: var(--card);
  font-size: .72rem; font-weight: 700; line-height: 1.15rem; text-align: center; }
.me, .switch { position: relative; }
.switch { max-width: 13rem; flex: none; }
.switch > summary { display: flex; align-items: center; gap: .4rem; height: 2.2rem; padding: 0 .7rem; border: 1px solid var(--line-strong); border-radius: 8px; background: var(--card); color: var(--text); font-weight: 550; list-style: none; }
.switch > summary::after { content: ""; width: .4rem; height: .4rem; border: solid var(--quiet); border-width: 0 1.5px 1.5px 0; transform: translateY(-.12rem) rotate(45deg); flex: none; }
.switch > summary:hover { background: var(--hover); }
.switch summary .cut { max-width: 9.5rem; }
.switch .menu { left: 0; right: auto; max-height: 70vh; overflow-y: auto; }
.me > summary { background: var(--shade); border-radius: 50%; font-size: .8rem; font-weight: 650; color: var(--text); }
:is(.me, .switch) > summary::-webkit-details-marker { display: none; }
.menu { position: absolute; right: 0; top: calc(100% + .4rem); min-width: 14rem; max-width: min(20rem, 90vw); padding: .5rem; background: var(--card); border: 1px solid var(--line);
  border-radius: var(--round); box-shadow: var(--shadow-high); display: grid; gap: .1rem; z-index: 9; }
.menu > p { padding: .4rem .6rem; overflow-wrap: anywhere; }
.menu > a, .menu button { display: block; width: 100%; text-align: left; padding: .4rem .6rem; border-radius: 6px; color: var(--text); text-decoration: none; font-weight: 450; min-height: 0; background: none; }
.menu > a:hover, .menu button:hover { background: var(--hover); filter: none; }
.menu form { display: block; }
.menu button.stop { background: none; display: flex; align-items: center; gap: .5rem; color: var(--bad); font-weight: 550; }

.sections { grid-area: nav; padding: .4rem .8rem; position: sticky; top: var(--top); align-self: start; }
.sections ul { list-style: none; margin: 0; padding: 0; display: grid; gap: .1rem; }
.sections a { display: flex; align-items: center; gap: .7rem; padding: .4rem .6rem; border-radius: 7px; color: var(--text); text-decoration: none; font-weight: 500; }
.sections a .icon { color: var(--quiet); }
.sections a:hover { background: var(--hover); }
.sections a[aria-current] { font-weight: 620; }
.sections a[aria-current] .icon { color: inherit; }
main { grid-area: main; padding: 1.6rem 2rem 4rem; display: flex; flex-direction: column; gap: var(--gap); max-width: 84rem; width: 100%; min-width: 0; align-self: start; }
.tabs { display: flex; flex-wrap: wrap; gap: 0 1.3rem; border-bottom: 1px solid var(--line); min-width: 0; }
.tabs a { padding: .45rem 0 .6rem; margin-bottom: -1px; color: var(--quiet); text-decoration: none; white-space: nowrap; border-bottom: 2px solid transparent; font-weight: 500; }
.tabs a:hover { color: var(--text); }
.tabs a[aria-current] { color: var(--text); border-color: var(--accent); font-weight: 650; }
.title { display: flex; justify-content: space-between; align-items: flex-end; gap: .8rem 1rem; flex-wrap: wrap; }
.title > div { min-width: 0; }
.title.tabbed { border-bottom: 1px solid var(--line); flex-wrap: nowrap; }
.tabbed .tabs { border: 0; flex: 1; font-size: 1.03rem; }
.tabbed .actions { flex: none; padding-bottom: .5rem; }
.up { font-size: .9rem; text-decoration: none; overflow-wrap: anywhere; }
.up:hover { text-decoration: underline; }
.title .copy { min-height: 2.3rem; padding: .38rem .95rem; font: inherit; font-weight: 550; color: var(--text); background: var(--card); border-color: var(--line-strong); }
.actions { display: flex; gap: .6rem; flex-wrap: wrap; align-items: center; }

.guest { display: grid; place-items: center; min-height: 100vh; padding: 1rem; }
.guest main { grid-area: auto; max-width: 26rem; padding: 2rem; align-self: center; }
.guest .brand { position: static; height: auto; padding: 0; color: var(--accent); }
`;
