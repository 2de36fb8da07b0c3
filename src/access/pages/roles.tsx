import { keysOf } from "../../base/lists.ts";
import {
  type Ability,
  ABILITY_WORDS,
  ACCOUNT_ROLES,
  isAble,
  isGatewayRole,
  type Role,
  ROLE_WORDS,
  ROLES,
} from "../rules/roles.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";

const UP = { path: "/users", label: "Users" };

const rolesPage = page({
  path: "/users/roles",
  ability: "see_users",
  show: (visit) => {
    const roles = visit.seesAll ? ROLES : ACCOUNT_ROLES;
    const abilities = keysOf(ABILITY_WORDS)
      .filter((ability) => roles.some((role) => isAble(role, ability)));
    return (
      <Page visit={visit} title="Who may do what" up={UP}>
        <Card>
          <p class="quiet">
            What isn't in this table is refused. {visit.seesAll &&
              "Whoever can use the command line of the machine may do everything."}
          </p>
          <Table
            caption="Who may do what"
            rows={abilities}
            empty=""
            columns={[
              { title: "Ability", at: "title", cell: (ability) => ABILITY_WORDS[ability] },
              {
                title: "Roles",
                at: "state",
                isForPhones: true,
                cell: (ability) => roles.filter((role) => isAble(role, ability)).join(", "),
              },
              ...roles.map(columnOf),
            ]}
          />
        </Card>
        <Card title="Roles">
          <Table
            caption="Roles"
            rows={roles}
            empty=""
            columns={[
              { title: "Role", at: "title", cell: (role) => role },
              { title: "Sees", at: "none", cell: seesOf },
              { title: "For", at: "state", cell: (role) => ROLE_WORDS[role] },
            ]}
          />
        </Card>
      </Page>
    );
  },
});

function columnOf(role: Role): Column<Ability> {
  const cell = (ability: Ability) => isAble(role, ability) ? "yes" : <span class="none">–</span>;
  return { title: role, at: "none", cell };
}

function seesOf(role: Role): string {
  return isGatewayRole(role) ? "every account" : "its own account";
}

export const ROLE_ROUTES = [rolesPage];
