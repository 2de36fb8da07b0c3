import type { UserRow } from "../../../store/tables/users.ts";
import { AccountLink, Status, Time } from "../../parts/facts.tsx";
import { Submit } from "../../parts/form.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import type { Visit } from "../../visit.ts";

export const UserTable = ({ visit, rows }: { visit: Visit; rows: readonly UserRow[] }) => (
  <Table caption="Users" rows={rows} empty="No users" columns={columnsFor(visit)} />
);

const ACCOUNT: Column<UserRow> = {
  title: "Account",
  cell: ({ accountId }) => accountId === null ? "all" : <AccountLink id={accountId} />,
};

function columnsFor(visit: Visit): Column<UserRow>[] {
  return [
    { title: "Email", cell: ({ email }) => email },
    { title: "Role", cell: ({ role }) => role },
    ...visit.seesAll ? [ACCOUNT] : [],
    {
      title: "Second factor",
      cell: ({ totpSealed }) => <Status value={totpSealed === null ? "off" : "on"} />,
    },
    { title: "Created", isMinor: true, cell: (user) => <Time atMs={user.createdAtMs} /> },
    { title: "Status", cell: (user) => <Status value={stateOf(user)} /> },
    ...visit.isAble("manage_users") ? [actionsFor(visit)] : [],
  ];
}

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
      confirm="This removes the password and second factor, and creates a new link."
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
