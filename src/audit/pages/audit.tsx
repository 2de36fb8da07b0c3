import { loginsWith } from "../../access/reads/users.ts";
import { ApiKeys } from "../../access/tables/keys.ts";
import { Users } from "../../access/tables/users.ts";
import { AuditList } from "../parts/audit_list.tsx";
import { auditFound, type AuditSearch, partiesOf } from "../reads/found.ts";
import { DEED_GROUPS, deedsWanted, deedText } from "../rules/deeds.ts";
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

/** What people write, and what is in the log. */
const ACTORS = [["command line", "cli"], ["gateway", "worker"]] as const;

const SUBJECTS: readonly (readonly [said: string, kind: string])[] = [
  ["payout", "withdrawal"],
  ["withdrawal", "withdrawal"],
  ["deposit", "transaction"],
  ["rule", "policy"],
  ...["sweep", "batch", "webhook", "account", "payee", "alert"].map((one) => [one, one] as const),
];

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

/** As in the log, from what people write: an email, a key's id, "command line" or "gateway". */
async function actorNamed(visit: Visit, text: string | null): Promise<string | null> {
  if (text === null) return null;
  const folded = text.toLowerCase();
  const alone = ACTORS.find(([said]) => said === folded);
  if (alone) return alone[1];
  const user = await userNamed(visit, folded);
  if (user !== undefined) return user;
  const key = text.includes(":") ? undefined : await visit.deps.db.find(ApiKeys, [text]);
  return key ? `api:${key.keyId}` : text;
}

/** As in the log, from what people write: an email, or a thing and its number. */
async function subjectNamed(visit: Visit, text: string | null): Promise<string | null> {
  if (text === null) return null;
  const [, thing = "", id] = /^([a-z]+)[ #]+(\d+)$/.exec(text.toLowerCase()) ?? [];
  const found = SUBJECTS.find(([said]) => said === thing);
  if (found) return `${found[1]}:${id}`;
  return await userNamed(visit, text.toLowerCase()) ?? text;
}

async function userNamed(
  { deps: { db } }: Visit,
  folded: string,
): Promise<string | undefined> {
  if (!folded.includes("@")) return undefined;
  const [user] = await loginsWith(db, folded);
  return user && `user:${user.id}`;
}

/** What the field of a filter shows. */
async function actorText(visit: Visit, actor: string): Promise<string> {
  const alone = ACTORS.find(([, name]) => name === actor);
  return alone?.[0] ?? await emailOf(visit, actor) ?? actor;
}

async function subjectText(visit: Visit, subject: string): Promise<string> {
  const [, kind = "", id] = /^([a-z]+):(\d+)$/.exec(subject) ?? [];
  const thing = SUBJECTS.find(([, one]) => one === kind);
  return thing ? `${thing[0]} ${id}` : await emailOf(visit, subject) ?? subject;
}

async function emailOf({ deps: { db } }: Visit, name: string): Promise<string | undefined> {
  const [, id] = /^user:(\d{1,15})$/.exec(name) ?? [];
  return id === undefined ? undefined : (await db.find(Users, [Number(id)]))?.email;
}
