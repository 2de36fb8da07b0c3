import { type AuditVerdict, verifyAudit } from "../../integrity/verify_audit.ts";
import * as kind from "../../domain/kinds.ts";
import { Card, Facts, Hash, Status } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";

const UP = { path: "/audit", label: "Audit log" };

const VerifyPage = ({ visit, verdict }: { visit: Visit; verdict?: AuditVerdict }) => (
  <Page visit={visit} title="Verify the audit log" up={UP}>
    {verdict && <Verdict verdict={verdict} />}
    <Card>
      <p>
        Each row contains the hash of the row before it. This checks every row from the first one
        and reports the first that was changed, added or removed.
      </p>
      <Form visit={visit} action="/audit/verify">
        <Field
          visit={visit}
          name="head"
          label="Head hash noted earlier"
          isMono
          value={visit.form.text("head")}
          hint="It must still be in the log. This also detects a log that was rewritten"
        />
        <Submit>Verify</Submit>
      </Form>
    </Card>
  </Page>
);

const Verdict = ({ verdict }: { verdict: AuditVerdict }) => {
  const { verified, unchained, brokenId, head, isKnownFound } = verdict;
  const isRight = brokenId === null && isKnownFound !== false;
  const known = ["The hash noted earlier", isKnownFound ? "found" : "missing"] as const;
  return (
    <Card title="Result" actions={<Status value={isRight ? "ok" : "failed"} />}>
      <Faults verdict={verdict} />
      <Facts
        rows={[
          ["First broken row", brokenId ?? "none"],
          ["Valid rows", verified],
          ["Rows older than the hash chain", unchained],
          ["Last valid row", head?.id ?? "none"],
          ["Its hash (note it elsewhere)", head ? <Hash text={head.hash} isWhole /> : "–"],
          ...isKnownFound === null ? [] : [known],
        ]}
      />
    </Card>
  );
};

const Faults = ({ verdict: { brokenId, isKnownFound } }: { verdict: AuditVerdict }) => (
  <>
    {brokenId !== null && (
      <p class="message fault" role="alert">
        Row {brokenId} was changed, or doesn't follow the row before it.
      </p>
    )}
    {isKnownFound === false && (
      <p class="message fault" role="alert">The hash noted earlier is not in the log.</p>
    )}
  </>
);

const verifyPage = page({
  path: "/audit/verify",
  ability: "see_gateway",
  show: (visit) => <VerifyPage visit={visit} />,
});

/** Only reads. */
const verifyAct = act({
  path: "/audit/verify",
  ability: "see_gateway",
  on: verifyPage,
  run: async (visit) => {
    const { head } = visit.form.read((fields) => ({
      head: fields.optional("head", kind.text({ max: 100 })) ?? null,
    }));
    return <VerifyPage visit={visit} verdict={await verifyAudit(visit.deps, { known: head })} />;
  },
});

export const AUDIT_VERIFY_ROUTES = [verifyPage, verifyAct];
