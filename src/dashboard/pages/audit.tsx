import { auditPage } from "../../store/audit_reads.ts";
import type { AuditRow } from "../../store/audit_table.ts";
import { Card, Time } from "../parts/facts.tsx";
import { Field } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { Filter, Pager, Table } from "../parts/table.tsx";
import { OPERATORS, page } from "../routes.ts";
import { BASE } from "../visit.ts";

const ROWS = 50;

const auditLogPage = page({
  path: "/audit",
  roles: OPERATORS,
  nav: { label: "Audit log", group: "Gateway" },
  show: async (visit) => {
    const asked = (name: string) => visit.query.get(name)?.trim() || null;
    const [actor, subject] = [asked("actor"), asked("subject")];
    const { db } = visit.deps;
    const rows = await auditPage(db, { actor, subject, cursor: visit.cursor, limit: ROWS + 1 });
    const shown = rows.slice(0, ROWS);
    return (
      <Page visit={visit} title="Audit log">
        <Card>
          <Filter visit={visit}>
            <Field
              {...{ visit, name: "actor", label: "Who", isFilter: true }}
              value={actor ?? ""}
            />
            <Field
              {...{ visit, name: "subject", label: "What about", isFilter: true }}
              value={subject ?? ""}
            />
          </Filter>
          <Table caption="Audit log" rows={shown} columns={COLUMNS} empty="Nothing" />
          <Pager visit={visit} next={rows.length > ROWS ? shown.at(-1)!.id : null} />
          <p class="quiet small">
            Each row carries the hash of the one before: <code>cpg audit verify</code>{" "}
            tells whether any was changed.
          </p>
        </Card>
      </Page>
    );
  },
});

const linkTo = (name: "actor" | "subject", value: string) => (
  <a href={`${BASE}/audit?${new URLSearchParams({ [name]: value })}`}>{value}</a>
);

const COLUMNS = [
  { title: "Id", isNumber: true, isMinor: true, cell: ({ id }: AuditRow) => id },
  { title: "When (UTC)", cell: ({ atMs }: AuditRow) => <Time atMs={atMs} /> },
  { title: "Who", cell: ({ actor }: AuditRow) => linkTo("actor", actor) },
  { title: "From", isMinor: true, cell: ({ ip }: AuditRow) => ip ?? "–" },
  { title: "Did", cell: ({ action }: AuditRow) => action },
  { title: "To", cell: ({ subject }: AuditRow) => linkTo("subject", subject) },
  { title: "Before and after", cell: ({ detail }: AuditRow) => <Detail detail={detail} /> },
];

const Detail = ({ detail }: { detail: unknown }) => {
  const text = JSON.stringify(detail, null, 1);
  if (text === "{}" || text === undefined) return <span class="quiet">–</span>;
  if (text.length < 60) return <pre>{JSON.stringify(detail)}</pre>;
  return (
    <details>
      <summary>Show</summary>
      <pre>{text}</pre>
    </details>
  );
};

export const AUDIT_ROUTES = [auditLogPage];
