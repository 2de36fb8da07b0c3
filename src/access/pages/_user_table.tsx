import { hasSecondFactor } from "../rules/second_factors.ts";
import { isGatewayRole, type Role, ROLES } from "../rules/roles.ts";
import type { UserRow } from "../tables/users.ts";
import { Cut, NamedAccount, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Submit } from "../../dashboard/parts/form.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import type { Visit } from "../../dashboard/visit.ts";

export const UserTable = ({ visit, rows }: { visit: Visit; rows: readonly UserRow[] }) => (
  <Table caption="Users" rows={rows} empty="No users" columns={columnsFor(visit)} />
);

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
export function rolesOf(accountId: number | null): readonly Role[] {
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
