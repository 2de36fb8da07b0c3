import { auditFound, type AuditSearch, partiesOf } from "../reads/found.ts";
import { AuditList } from "../parts/audit_list.tsx";
import { Card } from "../../dashboard/parts/facts.tsx";
import { MomentPresets, momentsWanted } from "../../dashboard/parts/lists/moments.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { noneHere, Pager, turnOf } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { deedsWanted } from "../rules/deeds.ts";
import { AuditFilters } from "./_filters.tsx";
import { actorNamed, subjectNamed } from "./_names.ts";

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
  const [actor, subject, account] = await Promise.all([
    actorNamed(visit, said("actor")),
    subjectNamed(visit, said("subject")),
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
