import { Users } from "../../access/tables/users.ts";
import { AuditList } from "../parts/audit_list.tsx";
import { auditFound, type AuditSearch, partiesOf } from "../reads/found.ts";
import { actorNamed, subjectNamed } from "../reads/named.ts";
import { DEED_GROUPS, deedsWanted, deedText } from "../rules/deeds.ts";
import { programName, subjectSaid } from "../rules/names.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { AccountFilter } from "../../dashboard/parts/filters.tsx";
import { Field, Select } from "../../dashboard/parts/form.tsx";
import {
  MomentFilters,
  MomentPresets,
  momentsWanted,
} from "../../dashboard/parts/lists/moments.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { Filters, noneHere, Pager, turnOf } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";

const GROUPS = Object.entries(DEED_GROUPS).map(([value, { name }]) => ({ value, label: name }));

const ROWS = 20;

const auditLogPage = page({
  path: "/audit",
  ability: "see_gateway",
  nav: { label: "Audit log", group: "Gateway" },
  show: async (visit) => {
    const { isMisread, ...asked } = await wanted(visit);
    const { rows, next } = await auditFound(visit.deps.db, asked);
    const turn = turnOf(visit);
    const empty = next === null ? emptyText(visit) : noneHere(turn);
    return (
      <Page
        visit={visit}
        title="Audit log"
        actions={<a class="button plain" href={`${BASE}/audit/verify`}>Verify</a>}
      >
        <Card>
          <MomentPresets visit={visit} otherwise="all" isLong />
          {isMisread && <p class="message fault">A time was not understood and is ignored</p>}
          <AuditFilters visit={visit} />
          <AuditList visit={visit} rows={rows} empty={empty} turn={turn} />
          <Pager visit={visit} next={next} turn={turn} />
        </Card>
      </Page>
    );
  },
});

async function wanted(visit: Visit): Promise<AuditSearch & { isMisread: boolean }> {
  const said = (name: string) => visit.query.get(name)?.trim() || null;
  const { deps: { db, memory } } = visit;
  const accountId = visit.accountWanted();
  const [by, about] = [said("actor"), said("subject")];
  const [actor, subject, account] = await Promise.all([
    by && actorNamed(db, by),
    about && subjectNamed(db, about),
    accountId === null ? null : partiesOf(db, accountId),
  ]);
  const otherwise = { fromMs: Number.MIN_SAFE_INTEGER, untilMs: Number.MAX_SAFE_INTEGER };
  const { fromMs, untilMs, isMisread } = momentsWanted(visit, { otherwise });
  const isAlways = fromMs <= 0 && untilMs > visit.nowMs;
  return {
    ...{ spans: memory.idSpans, actor, subject, account, isMisread, limit: ROWS },
    actions: deedsWanted(said("action")),
    fromMs: isAlways ? null : fromMs,
    untilMs: isAlways ? null : untilMs,
    ...visit.paging,
  };
}

function emptyText({ query }: Visit): string {
  const isFiltered = ["actor", "action", "subject", "account", "from", "until", "last", "cursor"]
    .some((name) => (query.get(name) ?? "") !== "");
  return isFiltered
    ? "Nothing matches these filters. Choose a longer time or fewer filters"
    : "Nothing has been done yet. Every change that anybody makes is recorded here";
}

export const AUDIT_ROUTES = [auditLogPage];

const AuditFilters = async ({ visit }: { visit: Visit }) => {
  const said = (name: string) => visit.query.get(name)?.trim() ?? "";
  const [actor, subject] = await Promise.all([
    actorText(visit, said("actor")),
    subjectText(visit, said("subject")),
  ]);
  const action = said("action");
  const isOne = action !== "" && !GROUPS.some(({ value }) => value === action);
  const one = isOne ? [{ value: action, label: deedText(action) }] : [];
  return (
    <Filters visit={visit}>
      <Field visit={visit} name="actor" label="Who (email, key id)" isFilter value={actor} />
      <Select
        visit={visit}
        name="action"
        label="What"
        value={action}
        options={[{ value: "", label: "All" }, ...one, ...GROUPS]}
      />
      <Field visit={visit} name="subject" label='About ("payout 12")' isFilter value={subject} />
      <AccountFilter visit={visit} />
      <MomentFilters visit={visit} />
    </Filters>
  );
};

/** What the field of a filter shows. */
async function actorText(visit: Visit, actor: string): Promise<string> {
  return programName(actor)?.toLowerCase() ?? await emailOf(visit, actor) ?? actor;
}

async function subjectText(visit: Visit, subject: string): Promise<string> {
  return subjectSaid(subject) ?? await emailOf(visit, subject) ?? subject;
}

async function emailOf({ deps: { db } }: Visit, name: string): Promise<string | undefined> {
  const [, id] = /^user:(\d{1,15})$/.exec(name) ?? [];
  return id === undefined ? undefined : (await db.find(Users, [Number(id)]))?.email;
}
