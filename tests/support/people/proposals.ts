import { createUser, userCreate } from "../../../src/access/manage_users.ts";
import { setSettings, settingSet } from "../../../src/access/require_second_factor.ts";
import { type Decider, deciderOf } from "../../../src/approvals/decider.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { approveProposal } from "../../../src/proposals/decide.ts";
import { doOrPropose } from "../../../src/proposals/propose.ts";
import type { Guarded, Made } from "../../../src/control/guarded.ts";
import type { Role } from "../../../src/access/rules/roles.ts";
import { Proposals } from "../../../src/proposals/table.ts";
import { TABLES } from "../../../src/store/tables/tables.ts";
import { Sessions } from "../../../src/access/tables/users.ts";
import { present } from "../../../src/base/assert.ts";

interface NewPerson {
  readonly role: Role;
  readonly name: string;
  readonly accountId: number | null;
}

/** Somebody who could sign in, and decide if the role may. */
export async function makePerson(
  deps: Deps,
  { role, name, accountId }: NewPerson,
): Promise<Decider> {
  const made = { passwordHash: "never compared" };
  const order = { email: `${name}@example.com`, role, accountId, actor: "test", made };
  const user = await createUser(deps, order, null);
  return deciderOf(user, { name: `user:${user.id}`, ip: "192.0.2.7" });
}

/** Asks for a change; it must become a proposal. */
export async function proposed<Wanted extends object>(
  deps: Deps,
  change: Guarded<Wanted>,
  { by, ...asked }: {
    readonly wanted: Wanted;
    readonly made?: Made;
    readonly by: Pick<Decider, "actor">;
  },
): Promise<number> {
  const { proposal } = await doOrPropose(deps, change, { ...asked, actor: by.actor });
  return present(proposal, "a proposal").id;
}

/** A proposal of somebody else. Dual control is off again, or everything later would wait too. */
export async function waitingProposal(deps: Deps): Promise<number> {
  const name = () => crypto.randomUUID();
  const operator = { role: "operator", accountId: null } as const;
  const one = await makePerson(deps, { ...operator, name: name() });
  const two = await makePerson(deps, { ...operator, name: name() });
  await setSettings(deps, { change: { dualControl: true }, actor: "test" });
  const wanted = { email: `${name()}@example.com`, role: "auditor", accountId: null } as const;
  const id = await proposed(deps, userCreate, { wanted, by: one });
  const off = { change: { dualControl: false } };
  const offId = await proposed(deps, settingSet, { wanted: off, by: one });
  await approveProposal(deps, { id: offId, decider: two });
  return id;
}

const GUARDED_TABLES = TABLES.filter(({ isGuarded, name }) =>
  isGuarded && name !== Proposals.name && name !== Sessions.name
);

/** All that dual control covers, but for proposals and who is signed in. */
export async function guardedRows({ db }: Deps): Promise<string> {
  const rows = await Promise.all(
    GUARDED_TABLES.map(({ name }) => db.query(`SELECT * FROM ${name} ORDER BY 1, 2`, [])),
  );
  return JSON.stringify(rows);
}
