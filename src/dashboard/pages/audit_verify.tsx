import { type AuditVerdict, verifyAudit } from "../../actions/integrity/verify_audit.ts";
import * as kind from "../../domain/kinds.ts";
import { Card, Facts, Hash, Status } from "../parts/facts.tsx";
import { Field, Form, Submit } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { act, OPERATORS, page } from "../routes.ts";
import type { Visit } from "../visit.ts";

const UP = { path: "/audit", label: "Audit log" };

const VerifyPage = ({ visit, verdict }: { visit: Visit; verdict?: AuditVerdict }) => (
  <Page visit={visit} title="Verify the audit log" up={UP}>
    {verdict && <Verdict verdict={verdict} />}
    <Card>
      <p>
        Each row carries the hash of the one before. Every row is looked at, from the first on: the
        first one that was changed, added or removed is named.
      </p>
      <Form visit={visit} action="/audit/verify">
        <Field
          {...{ visit, name: "head", label: "A head hash noted earlier", isMono: true }}
          value={visit.form.text("head")}
          hint="It must still be in the log: this also shows a log that was written anew"
        />
        <Submit>Verify it</Submit>
      </Form>
    </Card>
  </Page>
);

const Verdict = ({ verdict }: { verdict: AuditVerdict }) => {
  const { verified, unchained, brokenId, head, isKnownFound } = verdict;
  const isRight = brokenId === null && isKnownFound !== false;
  return (
    <Card title="What was found" actions={<Status value={isRight ? "ok" : "failed"} />}>
      {brokenId !== null && (
        <p class="message fault" role="alert">
          Row {brokenId} is not as it was written, or does not follow the one before it.
        </p>
      )}
      {isKnownFound === false && (
        <p class="message fault" role="alert">The hash that was noted is not in the log.</p>
      )}
      <Facts
        rows={[
          ["First broken row", brokenId ?? "none"],
          ["Rows that are right", verified],
          ["Rows from before there were hashes", unchained],
          ["Last right row", head?.id ?? "none"],
          ["Its hash, to be noted elsewhere", head ? <Hash text={head.hash} isWhole /> : "–"],
          ...(isKnownFound === null
            ? []
            : [["The hash noted earlier", isKnownFound ? "found" : "missing"] as const]),
        ]}
      />
    </Card>
  );
};

const verifyPage = page({
  path: "/audit/verify",
  roles: OPERATORS,
  show: (visit) => <VerifyPage visit={visit} />,
});

const verifyAct = act({
  path: "/audit/verify",
  on: verifyPage,
  run: async (visit) => {
    const { head } = visit.form.read((fields) => ({
      head: fields.optional("head", kind.text({ max: 100 })) ?? null,
    }));
    return <VerifyPage visit={visit} verdict={await verifyAudit(visit.deps, { known: head })} />;
  },
});

export const AUDIT_VERIFY_ROUTES = [verifyPage, verifyAct];
