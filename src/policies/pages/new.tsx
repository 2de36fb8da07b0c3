import { addPolicy } from "../manage.ts";
import { previewPolicy } from "../preview.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, done, type Html, page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { NAMES, RuleFields } from "./_fields.tsx";
import { fitting, ruleIn } from "./_new_rule.ts";
import { PreviewCard } from "./_preview.tsx";
import { Sentence } from "./_rule.tsx";

const UP = { path: "/rules", label: "Rules" };

const newRulePage = page({
  path: "/rules/new",
  ability: "manage_rules",
  isSensitive: true,
  show: (visit) => (
    <Page visit={visit} title="New rule" up={UP}>
      <Card>
        <Form visit={visit} action="/rules/new">
          <RuleFields visit={visit} />
          <Submit>See what it would do</Submit>
        </Form>
      </Card>
    </Page>
  ),
});

const previewAct = act({
  path: "/rules/new",
  ability: "manage_rules",
  on: newRulePage,
  run: (visit) => confirmRule(visit),
});

/** Nothing is stored yet. */
async function confirmRule(visit: Visit): Promise<Html> {
  const preview = await previewPolicy(visit.deps, newRule(visit));
  const { values } = visit.form;
  return (
    <Page visit={visit} title="Enable this rule?" up={UP}>
      <Card title={preview.rule.label}>
        <p>
          <strong>
            <Sentence visit={visit} rule={preview.rule} />
          </strong>
        </p>
        <Form visit={visit} action="/rules/new/confirm">
          {NAMES.map((name) => <input type="hidden" name={name} value={values.get(name) ?? ""} />)}
          <Submit>Enable rule</Submit>
        </Form>
      </Card>
      <PreviewCard preview={preview} />
    </Page>
  );
}

function newRule(visit: Visit) {
  return fitting(visit.form.read((fields) => ruleIn(fields, visit)));
}

const confirmationPage = page({
  path: "/rules/new",
  ability: "manage_rules",
  isSensitive: true,
  show: confirmRule,
});

/** One rule more is only stricter, so nobody else is asked. */
const addAct = act({
  path: "/rules/new/confirm",
  ability: "manage_rules",
  on: confirmationPage,
  isSensitive: true,
  run: async (visit) => {
    const { deps, actor, seesAll } = visit;
    const setBy = seesAll ? "operator" as const : "merchant" as const;
    const { id, label } = await addPolicy(deps, { ...newRule(visit), setBy, actor });
    return done(`/rules/${id}`, `The rule "${label}" applies from now on`);
  },
});

export const NEW_RULE_ROUTES = [newRulePage, previewAct, addAct];
