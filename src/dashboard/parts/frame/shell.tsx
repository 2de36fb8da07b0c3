import { type AccountRow, Accounts } from "../../../accounts/tables/accounts.ts";
import type { Component } from "../../../base/html.ts";
import { modeOf } from "../../mode.ts";
import { Form } from "../form.tsx";
import { Icon, Logo } from "./icons.tsx";
import { StopButton } from "./standing.tsx";
import { OF_ACCOUNT, type Section, SECTIONS } from "../../sections.ts";
import { BASE, type NavItem, type Visit } from "../../visit.ts";
import { isTestNetwork } from "../../../networks/test_networks.ts";
import { worldOfAccount } from "../../../networks/worlds.ts";
import { countNotices, countText } from "../../../notifications/reads/page.ts";
import { inboxOf } from "../../../proposals/inbox.ts";
import { fewAccounts } from "../../../store/reads/few_rows.ts";

const NAMED_MAX = 30;

/** Search, what is going on, and who is signed in. */
export const TopBar: Component<{ visit: Visit }> = ({ visit }) => (
  <header class="frame">
    <a class="brand" href={BASE}>
      <Logo />CPG
    </a>
    <div class="top">
      {visit.seesAll && <AccountSwitch visit={visit} />}
      <Search visit={visit} />
      <ModeBadge visit={visit} />
      <InboxLink visit={visit} />
      <Notices visit={visit} />
      <SettingsLink visit={visit} />
      <Me visit={visit} />
    </div>
  </header>
);

const Search: Component<{ visit: Visit }> = ({ visit }) => {
  if (!visit.may("GET", "/search")) return null;
  const isHere = visit.url.pathname === `${BASE}/search`;
  return (
    <form class="search" role="search" aria-label="Everything" action={`${BASE}/search`}>
      <Icon name="search" />
      <input
        type="search"
        name="q"
        aria-label="Search"
        placeholder="Search or go to: orders, addresses, pages"
        value={isHere ? visit.query.get("q") ?? "" : undefined}
        maxlength={200}
        data-search
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
};

const MODES = { demo: "Demo (test)", test: "Test", live: "Live" } as const;

/** Of the account, if there is one: a test account can be beside others. */
const ModeBadge: Component<{ visit: Visit }> = async ({ visit }) => {
  const { networks } = await visit.deps.catalog.current();
  const accountId = visit.accountWanted();
  const world = accountId === null ? null : await worldOfAccount(visit.deps, accountId);
  const own = world === "test" ? networks.filter(isTestNetwork) : networks;
  const mode = modeOf(own, visit.facts);
  return mode && <span class={`mode ${mode}`}>{MODES[mode]}</span>;
};

const Notices: Component<{ visit: Visit }> = async ({ visit }) => {
  const count = await countNotices(visit.deps.db, visit.accountId);
  const shown = countText(count);
  const label = count === 0 ? "No open alerts" : `${shown} open alert${count === 1 ? "" : "s"}`;
  return (
    <a
      class="tool"
      href={visit.seesAll ? `${BASE}/alerts` : `${BASE}#attention`}
      aria-label={label}
      title={label}
    >
      <Icon name="alerts" />
      {count > 0 && <span class="count">{shown}</span>}
    </a>
  );
};

/** For whoever may decide on something. */
const InboxLink: Component<{ visit: Visit }> = async ({ visit }) => {
  if (!visit.isAble("approve") || !visit.may("GET", "/inbox")) return null;
  const { count } = await inboxOf(visit.deps, visit.user);
  const label = count === "0" ? "Inbox: nothing waits for you" : `Inbox: ${count} to decide`;
  return (
    <a class="tool" href={`${BASE}/inbox`} aria-label={label} title={label}>
      <Icon name="inbox" />
      {count !== "0" && <span class="count">{count}</span>}
    </a>
  );
};

const SettingsLink: Component<{ visit: Visit }> = ({ visit }) => {
  const item = visit.facts.nav.find(({ group }) => group === "Settings");
  return item && (
    <a
      class="tool"
      href={BASE + item.path}
      aria-label="Settings"
      title="Settings"
      aria-current={sectionOf(visit) === "Settings" ? "true" : undefined}
    >
      <Icon name="Settings" />
    </a>
  );
};

const Me: Component<{ visit: Visit }> = ({ visit }) => (
  <details class="me">
    <summary class="tool">
      {visit.user.email.slice(0, 2).toUpperCase()}
      <span class="hidden">: your profile</span>
    </summary>
    <div class="menu">
      <p>
        <strong>{visit.user.email}</strong>
        <br />
        <span class="quiet small">{capital(visit.user.role)}</span>
      </p>
      <a href={`${BASE}/profile`}>Profile and sessions</a>
      <StopButton visit={visit} />
      <Form visit={visit} action="/sign-out">
        <button class="link" type="submit">Sign out</button>
      </Form>
    </div>
  </details>
);

/** At most six links; on a phone they are at the bottom. */
export const Sections: Component<{ visit: Visit }> = ({ visit }) => {
  const current = sectionOf(visit);
  const shown = SECTIONS.filter((section) => section !== "Settings")
    .flatMap((section) => visit.facts.nav.find(({ group }) => group === section) ?? []);
  return (
    <nav class="sections" aria-label="Main">
      <ul>
        {shown.map((item) => (
          <li>
            <a
              href={hrefOf(visit, item)}
              aria-current={item.group === current ? "page" : undefined}
            >
              <Icon name={item.group} />
              {item.group}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
};

/** The section's pages. Nothing says twice where one is: the tab of this page is its heading. */
export const Tabs: Component<{ visit: Visit }> = ({ visit }) => (
  <nav class="tabs" aria-label={sectionOf(visit)}>{linksOf(visit, siblings(visit))}</nav>
);

export function hasTabs(visit: Visit): boolean {
  const items = siblings(visit);
  return items.length > 1 && items.some(({ path }) => path === pathOf(visit));
}

/** What the tab of this page says. */
export function tabOf(visit: Visit): string | undefined {
  return hasTabs(visit) ? itemOf(visit)?.label : undefined;
}

function linksOf(visit: Visit, items: readonly NavItem[]) {
  const current = itemOf(visit);
  return items.map((item) => (
    <a href={hrefOf(visit, item)} aria-current={item === current ? "page" : undefined}>
      {item.label}
    </a>
  ));
}

function siblings(visit: Visit): NavItem[] {
  const section = sectionOf(visit);
  return visit.facts.nav.filter(({ group }) => group === section);
}

/** The page of the navigation that this one belongs to: the one with the longest common path. */
function itemOf(visit: Visit): NavItem | undefined {
  const path = pathOf(visit);
  return visit.facts.nav
    .filter((item) => path === item.path || path.startsWith(`${item.path}/`))
    .toSorted((a, b) => b.path.length - a.path.length)[0];
}

function sectionOf(visit: Visit): Section | undefined {
  return itemOf(visit)?.group;
}

function pathOf({ url }: Visit): string {
  return url.pathname.slice(BASE.length) || "/";
}

/** Who sees all accounts stays with the chosen account. */
function hrefOf(visit: Visit, { path, group }: NavItem): string {
  const account = visit.seesAll && OF_ACCOUNT.includes(group) && visit.accountWanted();
  const query = account ? `?account=${account}` : "";
  return `${BASE}${path === "/" ? "" : path}${query}`;
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/**
 * Operators, approvers and auditors look at one account or at all. Each choice is a link: a field beside a page's form might
 * name another account than the form does.
 */
const AccountSwitch: Component<{ visit: Visit }> = async ({ visit }) => {
  const { db } = visit.deps;
  const chosenId = visit.accountWanted();
  const [chosen, few] = await Promise.all([
    chosenId === null ? undefined : db.find(Accounts, [chosenId]),
    fewAccounts(db, NAMED_MAX),
  ]);
  return (
    <details class="switch">
      <summary title={chosen?.name}>
        <span class="hidden">Account:</span> <bdi class="cut">{chosen?.name ?? "All accounts"}</bdi>
      </summary>
      <div class="menu">
        {chosen && <a href={BASE + placeOf(visit)}>All accounts</a>}
        {few?.map((account) => <Choice visit={visit} account={account} chosen={chosen} />)}
        {few === undefined && <a href={`${BASE}/accounts`}>Choose from the list</a>}
      </div>
    </details>
  );
};

interface ChoiceProps {
  readonly visit: Visit;
  readonly account: AccountRow;
  readonly chosen: AccountRow | undefined;
}

const Choice: Component<ChoiceProps> = ({ visit, account: { id, name }, chosen }) => (
  <a
    href={`${BASE}${placeOf(visit)}?account=${id}`}
    aria-current={id === chosen?.id ? "true" : undefined}
  >
    <bdi class="cut">{name}</bdi>
  </a>
);

/** The same page, if it is one that can show one account. */
function placeOf({ url, facts }: Visit): string {
  const path = url.pathname.slice(BASE.length);
  const item = facts.nav.find((it) => it.path === path);
  return item && OF_ACCOUNT.includes(item.group) ? path : "";
}
