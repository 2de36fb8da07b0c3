import { ruleEdit, ruleRemove, ruleSwitchOff, setPolicyActive } from "../manage.ts";
import { metersNow } from "../meter_now.ts";
import { previewOf } from "../preview.ts";
import * as kind from "../../domain/kinds.ts";
import { durationText } from "../../domain/time.ts";
import type { PolicyRow } from "../table.ts";
import { accountFact, Card, Facts, Time } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import type { Visit } from "../../dashboard/visit.ts";
import { changeOrPropose, waitsText } from "../../proposals/words.ts";
import { ThenFields } from "./_fields.tsx";
import { termsIn } from "./_new_rule.ts";
import { PreviewCard } from "./_preview.tsx";
import { Meters, ownedBy, RuleState, Sentence, theRule } from "./_rule.tsx";

/** Of a limit for each account, key or recipient. */
const FULLEST = 3;

const rulePage = page({
  path: "/rules/:id{[0-9]+}",
  ability: "see",
  show: async (visit) => {
    const rule = await theRule(visit);
    const shared = { visit, rule };
    const meters = (await metersNow(visit.deps, [rule], { most: FULLEST })).get(rule.id) ?? [];
    return (
      <Page visit={visit} title={rule.label} up={{ path: "/rules", label: "Rules" }}>
        <Card title={`Rule ${rule.id}`}>
          <p>
            <strong>
              <Sentence {...shared} />
            </strong>
          </p>
          <Facts
            rows={[
              ["State", <RuleState {...rule} />],
              ["Used now", <Meters rule={rule} meters={meters} />],
              ...accountFact(visit, rule),
              ["Set by", rule.setBy === "operator" ? "an operator" : "the account"],
              ["Created", <Time atMs={rule.createdAtMs} />],
            ]}
          />
          <div class="actions">
            <Switch {...shared} />
            <Remove {...shared} />
          </div>
        </Card>
        {visit.isAble("manage_rules") && <Edit {...shared} />}
        <PreviewCard preview={await previewOf(visit.deps, rule)} />
      </Page>
    );
  },
});

interface Props {
  readonly visit: Visit;
  readonly rule: PolicyRow;
}

const Switch = ({ visit, rule: { id, isActive } }: Props) => (
  <Form visit={visit} action={`/rules/${id}/switch`} isInline>
    <input type="hidden" name="active" value={isActive ? "off" : "on"} />
    {isActive
      ? (
        <Submit tone="plain" confirm="Payouts that it would stop go out from now on.">
          Switch off
        </Submit>
      )
      : <Submit tone="plain">Switch on</Submit>}
  </Form>
);

const Remove = ({ visit, rule: { id } }: Props) => (
  <Form visit={visit} action={`/rules/${id}/remove`} isInline>
    <Submit tone="plain" confirm="Payouts that it would stop go out from now on.">Remove</Submit>
  </Form>
);

const Edit = ({ visit, rule }: Props) => (
  <Card title="Change it">
    <Form visit={visit} action={`/rules/${rule.id}`}>
      <Field visit={visit} name="label" label="Name" value={rule.label} maxlength={80} isRequired />
      {rule.cap !== null && (
        <Field
          visit={visit}
          name="cap"
          label="Limit"
          inputmode="decimal"
          value={rule.cap}
          isRequired
        />
      )}
      <ThenFields visit={visit} rule={rule} expires={durationText(rule.expiresMs)} />
      <p class="hint">For other payouts or another condition, add a rule and remove this one.</p>
      <Submit>Save</Submit>
    </Form>
  </Card>
);

const editAct = act({
  path: "/rules/:id{[0-9]+}",
  ability: "manage_rules",
  on: rulePage,
  isSensitive: true,
  run: async (visit) => {
    const rule = await theRule(visit);
    const { id } = rule;
    const change = visit.form.read((fields) => termsIn(fields, rule));
    const wanted = { id, ownedBy: ownedBy(visit), change };
    const { proposal } = await changeOrPropose(visit, ruleEdit, { wanted });
    return done(`/rules/${id}`, proposal ? waitsText(proposal) : "Saved");
  },
});

const switchAct = act({
  path: "/rules/:id{[0-9]+}/switch",
  ability: "manage_rules",
  on: rulePage,
  isSensitive: true,
  run: async (visit) => {
    const { deps, actor, form } = visit;
    const { id } = await theRule(visit);
    const isActive = form.read((fields) => fields.required("active", kind.onOff));
    const wanted = { id, ownedBy: ownedBy(visit) };
    if (isActive) {
      await setPolicyActive(deps, { ...wanted, isActive, actor });
      return done(`/rules/${id}`, "The rule applies from now on");
    }
    const { proposal } = await changeOrPropose(visit, ruleSwitchOff, { wanted });
    return done(`/rules/${id}`, proposal ? waitsText(proposal) : "The rule is off");
  },
});

const removeAct = act({
  path: "/rules/:id{[0-9]+}/remove",
  ability: "manage_rules",
  on: rulePage,
  isSensitive: true,
  run: async (visit) => {
    const { id, label } = await theRule(visit);
    const wanted = { id, ownedBy: ownedBy(visit) };
    const { proposal } = await changeOrPropose(visit, ruleRemove, { wanted });
    if (proposal) return done(`/rules/${id}`, waitsText(proposal));
    return done("/rules", `The rule "${label}" is removed`);
  },
});

export const RULE_ROUTES = [rulePage, editAct, switchAct, removeAct];
