import { type MeterNow, metersNow } from "../meter_now.ts";
import type { PolicyRow } from "../table.ts";
import { Card, EmptyState } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, pageFrom, Pager, Table } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { Meters, rulesFor, RuleState, Sentence } from "./_rule.tsx";

const ROWS = 20;

const rulesPage = page({
  path: "/rules",
  ability: "see",
  nav: { label: "Rules", group: "Payouts", gatewayGroup: "Gateway" },
  show: async (visit) => {
    const afterId = visit.cursor ?? 0;
    const { rows, next } = pageFrom(
      (await rulesFor(visit)).filter(({ id }) => id > afterId).slice(0, ROWS + 1),
      ROWS,
    );
    const meters = await metersNow(visit.deps, rows, { most: 1 });
    return (
      <Page
        visit={visit}
        title="Rules"
        actions={visit.may("GET", "/rules/new") && (
          <a class="button" href={`${BASE}/rules/new`}>New rule</a>
        )}
      >
        <Card>
          <p class="quiet">
            All rules that match a payout apply, and the strictest wins. {visit.seesAll
              ? "Merchants may add rules to their own account; they see only those."
              : "These are your own; the operator of this gateway may have others."}
          </p>
          <Table
            caption="Rules"
            rows={rows}
            empty={
              <EmptyState
                title={visit.seesAll
                  ? "No rules: every payout goes out at once"
                  : "You have no rules of your own"}
              />
            }
            columns={columnsOf(visit, meters)}
          />
          <Pager visit={visit} next={next} />
        </Card>
      </Page>
    );
  },
});

function columnsOf(
  visit: Visit,
  meters: ReadonlyMap<number, readonly MeterNow[]>,
): Column<PolicyRow>[] {
  return [
    {
      title: "Rule",
      at: "title",
      cell: (rule) => (
        <>
          <a class="whole" href={`${BASE}/rules/${rule.id}`}>{rule.label}</a>{" "}
          <p class="whole small">
            <Sentence visit={visit} rule={rule} />
          </p>
        </>
      ),
    },
    { title: "Used", cell: (rule) => <Meters rule={rule} meters={meters.get(rule.id) ?? []} /> },
    { title: "State", at: "state", cell: (rule) => <RuleState {...rule} /> },
    ...visit.seesAll ? [{ title: "Set by", isMinor: true, cell: setBy }] : [],
  ];
}

function setBy({ setBy }: PolicyRow): string {
  return setBy === "operator" ? "an operator" : "the account";
}

export const RULE_LIST_ROUTES = [rulesPage];
