import type { Component } from "../../../base/html.ts";
import { fewAccounts } from "../../../store/reads/few_rows.ts";
import { type AccountRow, Accounts } from "../../../store/tables/setup.ts";
import { OF_ACCOUNT } from "../../sections.ts";
import { BASE, type Visit } from "../../visit.ts";

const NAMED_MAX = 30;

/**
 * Operators, approvers and auditors look at one account or at all. Each choice is a link: a field beside a page's form might
 * name another account than the form does.
 */
export const AccountSwitch: Component<{ visit: Visit }> = async ({ visit }) => {
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
