import { userLink } from "../../../actions/access/manage_links.ts";
import { createUser, resetUser, setUserDisabled } from "../../../actions/access/manage_users.ts";
import * as kind from "../../../domain/kinds.ts";
import { OperatorError } from "../../../domain/refusal.ts";
import { ACCOUNT_ROLES, type Role, ROLE_WORDS, ROLES } from "../../../domain/access/roles.ts";
import { type UserRow, Users } from "../../../store/tables/users.ts";
import { userPage } from "../../../store/reads/pages/users.ts";
import { Card, CopyButton } from "../../parts/facts.tsx";
import { Field, Form, RowsForm, Select, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { pageFrom, Pager } from "../../parts/table.tsx";
import { act, done, page } from "../../routes.ts";
import { BASE, type Visit } from "../../visit.ts";
import { UserTable } from "./_user_table.tsx";

const ROWS = 20;

const usersPage = page({
  path: "/users",
  nav: { label: "Users", group: "Settings", gatewayGroup: "Gateway" },
  show: async (visit) => {
    const { accountId } = visit;
    const asked = { accountId, afterId: visit.cursor ?? 0, limit: ROWS + 1 };
    const { rows, next } = pageFrom(await userPage(visit.deps.db, asked), ROWS);
    return (
      <Page visit={visit} title="Users">
        <Card>
          <RowsForm visit={visit}>
            <UserTable visit={visit} rows={rows} />
          </RowsForm>
          <Pager visit={visit} next={next} label="More" />
        </Card>
        {visit.isAble("manage_users") && <NewUser visit={visit} />}
      </Page>
    );
  },
});

const NewUser = ({ visit }: { visit: Visit }) => (
  <Card title="New user">
    <Form visit={visit} action="/users">
      <Field visit={visit} name="email" label="Email" type="email" isRequired />
      <Select
        visit={visit}
        name="role"
        label="Role"
        value="merchant"
        options={rolesFor(visit).map((value) => ({
          value,
          label: `${value}: ${ROLE_WORDS[value]}`,
        }))}
      />
      {visit.seesAll && (
        <Field
          visit={visit}
          name="account"
          label="Account number"
          inputmode="numeric"
          hint={`For ${ACCOUNT_ROLES.join(", ")}`}
        />
      )}
      <Submit>Create user</Submit>
    </Form>
  </Card>
);

/** Nobody gives a role above their own. */
function rolesFor({ seesAll }: Visit): readonly Role[] {
  return seesAll ? ROLES : ACCOUNT_ROLES;
}

const createAct = act({
  path: "/users",
  on: usersPage,
  isSensitive: true,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const order = form.read((fields) => ({
      email: fields.required("email", kind.text({ max: 254 })),
      role: fields.required("role", kind.choice(rolesFor(visit))),
      accountId: visit.accountId ?? fields.optional("account", kind.recordId) ?? null,
    }));
    const user = await createUser(deps, { ...order, actor }, null);
    return <NewLink visit={visit} user={user} token={await userLink(deps, { user, actor })} />;
  },
});

function linkOf({ facts: { publicUrl }, url }: Visit, token: string): string {
  const origin = publicUrl.startsWith("https:") ? publicUrl : url.origin;
  return `${origin}${BASE}/set-up/${token}`;
}

const NewLink = ({ visit, user, token }: { visit: Visit; user: UserRow; token: string }) => {
  const link = linkOf(visit, token);
  return (
    <Page visit={visit} title="One-time link" up={{ path: "/users", label: "Users" }}>
      <Card>
        <p>
          {user.email}{" "}
          can choose a password with this link. It works once, for one day, and is shown only now.
          Send it where only they can read it.
        </p>
        <p class="secret">
          <code class="whole" id="link">{link}</code>
        </p>
        <div class="actions">
          <a class="button" href={`${BASE}/users`}>I have sent it</a>
          <CopyButton text={link} label="Copy link" />
        </div>
      </Card>
    </Page>
  );
};

/** Users can't lock themselves out. */
async function otherUser(visit: Visit): Promise<UserRow> {
  const user = visit.own(await visit.deps.db.find(Users, [visit.id()]));
  if (user.id === visit.user.id) throw new OperatorError("Change your own login under Profile");
  return user;
}

const resetAct = act({
  path: "/users/:id{[0-9]+}/reset",
  on: usersPage,
  isSensitive: true,
  run: async (visit) => {
    const { id } = await otherUser(visit);
    const user = await resetUser(visit.deps, { id, password: null, actor: visit.actor });
    const token = await userLink(visit.deps, { user, actor: visit.actor });
    return <NewLink visit={visit} user={user} token={token} />;
  },
});

const switchActs = (["disable", "enable"] as const).map((name) =>
  act({
    path: `/users/:id{[0-9]+}/${name}`,
    on: usersPage,
    isSensitive: true,
    run: async (visit) => {
      const { id } = await otherUser(visit);
      const order = {
        id,
        isDisabled: name === "disable",
        isOwn: !visit.seesAll,
        actor: visit.actor,
      };
      const { email } = await setUserDisabled(visit.deps, order);
      return done("/users", `${email} is ${name}d`);
    },
  })
);

export const USER_ROUTES = [usersPage, createAct, resetAct, ...switchActs];
