import { userReset, userSetRole } from "../change_user.ts";
import { userCreate } from "../manage_users.ts";
import { DISABLE_USER, ENABLE_USER } from "../operations/user.ts";
import { NewLink } from "./new_link.tsx";
import { userPage } from "../reads/users.ts";
import { ACCOUNT_ROLES, isGatewayRole, type Role, ROLE_WORDS, ROLES } from "../rules/roles.ts";
import { hasSecondFactor } from "../rules/second_factors.ts";
import { newToken } from "../sessions.ts";
import type { userShape } from "../shapes.ts";
import { type UserRow, Users } from "../tables/users.ts";
import type { Guarded } from "../../control/guarded.ts";
import { formOf } from "../../dashboard/asking.ts";
import { accountOptions } from "../../dashboard/parts/account.tsx";
import { Card, Cut, NamedAccount, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Field, Form, RowsForm, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, pageFrom, Pager, Table } from "../../dashboard/parts/table.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { changeOrPropose, waitsText } from "../../proposals/words.ts";

const UserTable = ({ visit, rows }: { visit: Visit; rows: readonly UserRow[] }) => (
  <Table caption="Users" rows={rows} empty="No users" columns={columnsFor(visit)} />
);

const UserActions = (
  { user: { id, disabledAtMs, disabledBy }, isOwn }: { user: UserRow; isOwn: boolean },
) => (
  <div class="actions">
    <Submit
      tone="plain"
      action={`/users/${id}/reset`}
      confirm="This removes the password and second factors, and creates a new link."
    >
      New link
    </Submit>
    {disabledAtMs !== null && disabledBy === null && isOwn
      ? <span class="quiet small">Disabled by an operator</span>
      : (
        <Submit
          tone="plain"
          action={`/users/${id}/${disabledAtMs === null ? "disable" : "enable"}`}
        >
          {disabledAtMs === null ? "Disable" : "Enable"}
        </Submit>
      )}
  </div>
);

const NewUser = ({ visit, roles }: { visit: Visit; roles: readonly Role[] }) => (
  <Card>
    <Form visit={visit} action="/users">
      <Field visit={visit} name="email" label="Email" type="email" isRequired />
      <Select
        visit={visit}
        name="role"
        label="Role"
        value="merchant"
        options={roles.map((value) => ({
          value,
          label: `${value}: ${ROLE_WORDS[value]}`,
        }))}
      />
      {visit.seesAll && <AccountField visit={visit} />}
      <Submit>Create user</Submit>
    </Form>
  </Card>
);

const ROWS = 20;
const UP = { path: "/users", label: "Users" };

const usersPage = page({
  path: "/users",
  ability: "see_users",
  nav: { label: "Users", group: "Settings", gatewayGroup: "Gateway" },
  show: async (visit) => {
    const { accountId } = visit;
    const asked = { accountId, afterId: visit.cursor ?? 0, limit: ROWS + 1 };
    const { rows, next } = pageFrom(await userPage(visit.deps.db, asked), ROWS);
    return (
      <Page
        visit={visit}
        title="Users"
        actions={<Links visit={visit} />}
      >
        <Card>
          <RowsForm visit={visit}>
            <UserTable visit={visit} rows={rows} />
          </RowsForm>
          <Pager visit={visit} next={next} />
        </Card>
      </Page>
    );
  },
});

const Links = ({ visit }: { visit: Visit }) => (
  <>
    <a class="button plain" href={`${BASE}/users/roles`}>Who may do what</a>
    {visit.may("GET", "/users/new") && <a class="button" href={`${BASE}/users/new`}>New user</a>}
  </>
);

const newUserPage = page({
  path: "/users/new",
  ability: "manage_users",
  show: (visit) => (
    <Page visit={visit} title="New user" up={UP}>
      <NewUser visit={visit} roles={rolesFor(visit)} />
    </Page>
  ),
});

/** Nobody gives a role above their own. */
function rolesFor({ seesAll }: Visit): readonly Role[] {
  return seesAll ? ROLES : ACCOUNT_ROLES;
}

const createAct = act({
  path: "/users",
  ability: "manage_users",
  on: newUserPage,
  isSensitive: true,
  run: async (visit) => {
    const wanted = visit.form.read((fields) => ({
      email: fields.required("email", kind.text({ max: 254 })),
      role: fields.required("role", kind.choice(rolesFor(visit))),
      accountId: visit.accountId ?? fields.optional("account", kind.recordId) ?? null,
    }));
    return await withLink(visit, userCreate, { wanted, email: wanted.email });
  },
});

/** The link is shown only now. If it becomes a proposal, whoever approves it gets one. */
async function withLink<Wanted extends object>(
  visit: Visit,
  change: Guarded<Wanted, UserRow>,
  { email, wanted }: { email: string; wanted: Wanted },
) {
  const { token, tokenHash: linkHash } = newToken();
  const { proposal } = await changeOrPropose(visit, change, { wanted, made: { linkHash } });
  if (proposal) {
    return done("/users", `${waitsText(proposal)}; whoever does gets the link for ${email}`);
  }
  return <NewLink visit={visit} email={email} token={token} up={UP} />;
}

/** Users can't lock themselves out. */
async function otherUser(visit: Visit): Promise<UserRow> {
  const user = visit.own(await visit.deps.db.find(Users, [visit.id()]));
  if (user.id === visit.user.id) throw new OperatorError("Change your own login under Profile");
  return user;
}

const resetAct = act({
  path: "/users/:id{[0-9]+}/reset",
  ability: "manage_users",
  on: usersPage,
  isSensitive: true,
  run: async (visit) => {
    const { id, email } = await otherUser(visit);
    return await withLink(visit, userReset, { wanted: { id }, email });
  },
});

const disableAct = formOf(DISABLE_USER, {
  path: "/users/:id{[0-9]+}/disable",
  on: usersPage,
  isSensitive: true,
  check: otherUser,
  to: "/users",
  said: ({ email }) => `${email} is disabled`,
});

const enableAct = formOf(ENABLE_USER, {
  path: "/users/:id{[0-9]+}/enable",
  on: usersPage,
  isSensitive: true,
  check: otherUser,
  to: "/users",
  said: ({ email }: ReturnType<typeof userShape>) => `${email} is enabled`,
});

const roleAct = act({
  path: "/users/:id{[0-9]+}/role",
  ability: "manage_users",
  on: usersPage,
  isSensitive: true,
  run: async (visit) => {
    const { id, email, accountId } = await otherUser(visit);
    const role = visit.form.read((fields) => {
      const name = `role_${id}`;
      return fields.required(name, kind.choice(rolesOf(accountId)));
    });
    const { proposal } = await changeOrPropose(visit, userSetRole, {
      wanted: { id, role },
    });
    return done("/users", proposal ? waitsText(proposal) : `${email} is ${role}`);
  },
});

export const USER_ROUTES = [
  usersPage,
  newUserPage,
  createAct,
  resetAct,
  disableAct,
  enableAct,
  roleAct,
];

const AccountField = async ({ visit }: { visit: Visit }) => {
  const options = await accountOptions(visit);
  const shared = { visit, name: "account", hint: `For ${ACCOUNT_ROLES.join(", ")}` };
  if (!options) return <Field {...shared} label="Account number" inputmode="numeric" />;
  return (
    <Select
      {...shared}
      label="Account"
      options={[{ value: "", label: "None" }, ...options]}
    />
  );
};

function accountColumn(visit: Visit): Column<UserRow> {
  return {
    title: "Account",
    cell: ({ accountId }) =>
      accountId === null ? "all" : <NamedAccount visit={visit} id={accountId} />,
  };
}

function columnsFor(visit: Visit): Column<UserRow>[] {
  return [
    { title: "Email", cell: ({ email }) => <Cut text={email} /> },
    {
      title: "Role",
      cell: (user) =>
        visit.isAble("manage_users") && user.id !== visit.user.id
          ? <RoleChoice user={user} />
          : user.role,
    },
    ...visit.seesAll ? [accountColumn(visit)] : [],
    {
      title: "Second factor",
      cell: (user) => <Status value={hasSecondFactor(user) ? "on" : "off"} />,
    },
    { title: "Created", isMinor: true, cell: (user) => <Time atMs={user.createdAtMs} /> },
    { title: "Status", cell: (user) => <Status value={stateOf(user)} /> },
    ...visit.isAble("manage_users") ? [actionsFor(visit)] : [],
  ];
}

/** Of the whole installation, or of one account: a login never moves between them. */
function rolesOf(accountId: number | null): readonly Role[] {
  return ROLES.filter((role) => isGatewayRole(role) === (accountId === null));
}

const RoleChoice = ({ user }: { user: UserRow }) => (
  <span class="actions">
    <select name={`role_${user.id}`} aria-label={`Role of ${user.email}`}>
      {rolesOf(user.accountId).map((role) => (
        <option value={role} selected={role === user.role}>{role}</option>
      ))}
    </select>
    <Submit tone="plain" action={`/users/${user.id}/role`}>Change</Submit>
  </span>
);

function actionsFor(visit: Visit): Column<UserRow> {
  const cell = (user: UserRow) =>
    user.id === visit.user.id ? "you" : <UserActions user={user} isOwn={!visit.seesAll} />;
  return { title: "Actions", isTitleHidden: true, cell };
}

function stateOf({ disabledAtMs, passwordHash }: UserRow): string {
  if (disabledAtMs !== null) return "disabled";
  return passwordHash === null ? "waiting" : "active";
}
