import { ACCOUNT_ROLES, type Role, ROLE_WORDS } from "../rules/roles.ts";
import { accountOptions } from "../../dashboard/parts/account.tsx";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import type { Visit } from "../../dashboard/visit.ts";

export const NewUser = ({ visit, roles }: { visit: Visit; roles: readonly Role[] }) => (
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
