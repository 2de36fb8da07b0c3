import { auditPage } from "../../store/reads/pages/audit.ts";
import { AuditList } from "../parts/audit.tsx";
import { Card } from "../parts/facts.tsx";
import { Field } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { Filter, pageFrom, Pager } from "../parts/table.tsx";
import { page } from "../routes.ts";
import { BASE } from "../visit.ts";

const ROWS = 50;

const auditLogPage = page({
  path: "/audit",
  nav: { label: "Audit log", group: "Gateway" },
  show: async (visit) => {
    const asked = (name: string) => visit.query.get(name)?.trim() || null;
    const [actor, subject] = [asked("actor"), asked("subject")];
    const { db } = visit.deps;
    const query = { actor, subject, cursor: visit.cursor, limit: ROWS + 1 };
    const { rows, next } = pageFrom(await auditPage(db, query), ROWS);
    return (
      <Page
        visit={visit}
        title="Audit log"
        actions={<a class="button plain" href={`${BASE}/audit/verify`}>Verify</a>}
      >
        <Card>
          <Filter visit={visit}>
            <Field visit={visit} name="actor" label="Actor" isFilter value={actor ?? ""} />
            <Field visit={visit} name="subject" label="Subject" isFilter value={subject ?? ""} />
          </Filter>
          <AuditList db={db} rows={rows} />
          <Pager visit={visit} next={next} />
        </Card>
      </Page>
    );
  },
});

export const AUDIT_ROUTES = [auditLogPage];
