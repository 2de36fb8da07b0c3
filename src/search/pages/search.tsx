import { foldAscii } from "../../base/fold_ascii.ts";
import type { Component } from "../../base/html.ts";
import { Readings } from "../../customers/pages/reading.tsx";
import { AccountLink, Card, Empty } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { done, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { addressHint, isWholeAddress, isWholeHash } from "../../dashboard/words/no_match.ts";
import { usersOf } from "../../deposits/reads/page.ts";
import { separated } from "../../domain/money/written.ts";
import { ordersOf } from "../../invoices/reads/orders.ts";
import { type Command, commandsFor, refundsFor } from "./_commands.ts";
import type { Hit } from "./_hit.ts";
import { type Group, groupsOf } from "./_hits.ts";
import { type Found, search } from "../reads/search.ts";
import { BEGIN_MIN, END_MIN, SEARCH_TEXT_MAX, type SearchTerm } from "../reads/term.ts";
import { searchTerm, spokenTerm } from "../words/term.ts";
import { DESCRIBED_MAX } from "../reads/texts.ts";
import { accountNames } from "../../store/reads/pages/names.ts";

const SHOWN = 8;
/** A customer has an address on each network, and all of them match. */
const ROWS = 40;

const searchPage = page({
  path: "/search",
  ability: "see",
  show: async (visit) => {
    const typed = visit.query.get("q") ?? "";
    const term = searchTerm(typed);
    if (!term) return <Ask visit={visit} typed={typed} />;
    const [{ found, groups, absent }, refunds] = await Promise.all([
      lookFor(visit, { typed, term }),
      refundsFor(visit, typed),
    ]);
    const commands = [...refunds, ...commandsFor(visit, typed)];
    const exact = [...commands, ...groups.flatMap(({ hits }) => hits)]
      .filter(({ isExact }) => isExact);
    const [only, ...others] = exact;
    // A program that shows what is found while somebody types wants the list.
    const isList = visit.query.has("list");
    if (only && others.length === 0 && !isList) return done(only.path);
    return (
      <Page visit={visit} title="Search" extra="search">
        <Commands commands={commands} />
        <Results
          hasCommands={commands.length > 0}
          visit={visit}
          term={term}
          found={found}
          groups={groups}
          absent={absent}
        />
      </Page>
    );
  },
});

/** What records of a kind are called, and under which headings they are found. */
const SPOKEN: Readonly<Record<string, readonly Group["title"][]>> = {
  ...{ payment: ["Payments"], deposit: ["Payments"], transaction: ["Payments", "Payouts"] },
  ...{ invoice: ["Invoices"], order: ["Invoices", "Payments"] },
  ...{ payout: ["Payouts"], withdrawal: ["Payouts"], refund: ["Payouts"] },
  ...{ sweep: ["Sweeps"], request: ["Deposit requests"], "deposit request": ["Deposit requests"] },
  ...{ webhook: ["Developers"], key: ["Developers"], "api key": ["Developers"] },
  ...{ account: ["Accounts and users"], user: ["Accounts and users"], customer: ["Customers"] },
};

/** A reference may be just what was typed; otherwise "Invoice 3" is the one with this number. */
async function lookFor(
  visit: Visit,
  { typed, term }: { typed: string; term: SearchTerm },
): Promise<{ found: Found; groups: Group[]; absent?: string }> {
  const spoken = spokenTerm(typed);
  const titles = spoken && SPOKEN[spoken.word];
  const whole = await look(visit, term);
  if (!spoken || !titles || whole.groups.some(({ hits }) => hits.some((it) => it.isExact))) {
    return whole;
  }
  const { found, groups } = await look(visit, spoken.term);
  const meant = groups.filter(({ title }) => titles.includes(title));
  if (meant.length > 0) return { found: { ...found, isNumber: false }, groups: meant };
  const { id, text } = spoken.term;
  return { ...whole, absent: `There is no ${spoken.word} ${id ?? text}` };
}

async function look(visit: Visit, term: SearchTerm): Promise<{ found: Found; groups: Group[] }> {
  const { db } = visit.deps;
  const found = await search(db, { term, accountId: visit.accountId, limit: ROWS });
  const { transactions: rows } = found;
  const [users, orders] = await Promise.all([usersOf(db, rows), ordersOf(db, rows)]);
  return {
    found,
    groups: groupsOf(found, { visit, term, payers: { users, orders }, shownMax: SHOWN }),
  };
}

const Ask: Component<{ visit: Visit; typed: string }> = ({ visit, typed }) => (
  <Page visit={visit} title="Search" extra="search">
    {typed.trim() !== "" && (
      <p class="message fault" role="alert">
        Enter up to {SEARCH_TEXT_MAX} characters on one line
      </p>
    )}
    <Commands commands={commandsFor(visit, "")} />
    <Card title="What you can search for">
      <Help />
    </Card>
  </Page>
);

const Commands: Component<{ commands: readonly Command[] }> = ({ commands }) =>
  commands.length > 0 && (
    <Card title="Go to">
      <ul class="hits" data-hits>
        {commands.map(({ title, path }) => (
          <li>
            <a href={BASE + path}>
              <strong>{title}</strong>
            </a>
          </li>
        ))}
      </ul>
    </Card>
  );

const Help = () => (
  <ul>
    <li>
      Transaction hashes and addresses: whole, the first {BEGIN_MIN} characters or more, the last
      {" "}
      {END_MIN} or more, or shortened like 0x1234…abcd
    </li>
    <li>Customers, references and idempotency keys: whole, or how they begin</li>
    <li>
      What invoices are for: any part of it, among the newest {separated(String(DESCRIBED_MAX))}
    </li>
    <li>Pages and what can be done: "payouts", "new invoice", "refund 1042"</li>
    <li>Numbers of payments, invoices, payouts, sweeps and deposit requests, as in Invoice 3</li>
    <li>Labels and ids of keys, and URLs of webhooks</li>
  </ul>
);

interface ResultsProps {
  readonly visit: Visit;
  readonly term: SearchTerm;
  readonly found: Found;
  readonly groups: readonly Group[];
  /** That the record which was named doesn't exist. */
  readonly absent: string | undefined;
  readonly hasCommands: boolean;
}

const Results: Component<ResultsProps> = async (
  { visit, term, found, groups, absent, hasCommands },
) => {
  const ids = groups.flatMap(({ hits }) => hits.flatMap(({ accountId }) => accountId ?? []));
  const names = visit.seesAll ? await accountNames(visit.deps.db, ids) : new Map();
  const isForeign = isWholeAddress(term) && found.addresses.length === 0 &&
    found.wallets.length === 0;
  return (
    <>
      {isForeign && <Foreign visit={visit} term={term} isKnown={groups.length > 0} />}
      {groups.map((group) => <GroupCard group={group} term={term} names={names} />)}
      {groups.length === 0 && !isForeign && !hasCommands && (
        <Nothing visit={visit} term={term} absent={absent} />
      )}
      {found.isNumber && term.begins.length > 0 && <AsCode term={term} />}
    </>
  );
};

const AsCode: Component<{ term: SearchTerm }> = ({ term: { folded } }) => (
  <p>
    <a href={`${BASE}/search?q=0x${folded}`}>Hashes and addresses that begin with {folded}</a>
  </p>
);

const Foreign: Component<{ visit: Visit; term: SearchTerm; isKnown: boolean }> = async (
  { visit, term, isKnown },
) => {
  const { networks } = await visit.deps.catalog.current();
  const whose = visit.seesAll ? "Not an address of this gateway" : "Not one of your addresses";
  return (
    <Card title={whose}>
      <p>
        <code class="whole">{term.text}</code>
      </p>
      <p>
        {isKnown
          ? "You know it, though: what it paid or was paid is below."
          : addressHint(term, networks)}
      </p>
    </Card>
  );
};

const Nothing: Component<Pick<ResultsProps, "visit" | "term" | "absent">> = async (
  { visit, term, absent },
) => {
  const { networks } = await visit.deps.catalog.current();
  return (
    <Card title="Nothing found">
      <Empty>
        {isWholeHash(term)
          ? "No payment or payout here has this hash. A payment appears as soon as its block is read, if it went to one of your addresses."
          : absent === undefined
          ? "Nothing begins or ends like this. Try a longer or a different part."
          : <bdi class="whole">{absent}.</bdi>}
      </Empty>
      {isWholeHash(term) ? <Readings visit={visit} networks={networks} /> : <Help />}
    </Card>
  );
};

interface GroupProps {
  readonly group: Group;
  readonly term: SearchTerm;
  readonly names: ReadonlyMap<number, string>;
}

const GroupCard: Component<GroupProps> = ({ group: { title, hits, isCut }, term, names }) => (
  <Card title={title}>
    <ul class="hits" data-hits>
      {hits.map((hit) => (
        <li>
          <HitLine hit={hit} term={term} />
          <HitOwner hit={hit} names={names} />
        </li>
      ))}
    </ul>
    {isCut && <p class="quiet small">There are more. Type more of it to narrow them down.</p>}
  </Card>
);

const HitLine: Component<{ hit: Hit; term: SearchTerm }> = (
  { hit: { path, title, matched, detail }, term },
) => (
  <a href={BASE + path}>
    <strong>{title}</strong> {detail !== "" && <bdi class="whole">{detail}</bdi>}{" "}
    <span class="small quiet">{matched.name}:</span>{" "}
    <span class="small">
      <Marked text={matched.text} term={term} />
    </span>
  </a>
);

const HitOwner: Component<{ hit: Hit; names: ReadonlyMap<number, string> }> = (
  { hit: { accountId }, names },
) =>
  accountId === null || !names.has(accountId)
    ? null
    : <AccountLink id={accountId} name={names.get(accountId)} />;

export const SEARCH_ROUTES = [searchPage];

/** A text with the parts that were searched for marked. */
const Marked: Component<{ text: string; term: SearchTerm }> = ({ text, term }) => (
  <bdi class="whole">
    {markedParts(text, term).map(({ part, isMarked }) => isMarked ? <mark>{part}</mark> : part)}
  </bdi>
);

interface Part {
  readonly part: string;
  readonly isMarked: boolean;
}

function markedParts(text: string, term: SearchTerm): Part[] {
  const folded = foldAscii(text);
  const begins = term.begins.find((begin) => folded.startsWith(begin));
  const ends = term.end !== null && folded.endsWith(term.end) ? term.end : undefined;
  const at = begins === undefined && ends === undefined ? folded.indexOf(term.folded) : -1;
  const spans: readonly (readonly [from: number, length: number])[] = at >= 0
    ? [[at, term.folded.length]]
    : [[0, begins?.length ?? 0], [text.length - (ends?.length ?? 0), ends?.length ?? 0]];
  return partsOf(text, spans);
}

function partsOf(text: string, spans: readonly (readonly [from: number, length: number])[]) {
  const parts: Part[] = [];
  let done = 0;
  for (const [from, length] of spans.filter(([from, length]) => length > 0 && from >= done)) {
    parts.push({ part: text.slice(done, from), isMarked: false });
    parts.push({ part: text.slice(from, from + length), isMarked: true });
    done = from + length;
  }
  parts.push({ part: text.slice(done), isMarked: false });
  return parts.filter(({ part }) => part !== "");
}
