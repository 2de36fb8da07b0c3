import { makesLogin, type OrderKind, type Orders, untyped } from "../../domain/access/orders.ts";
import type { PayeeRow } from "../../store/tables/control/payees.ts";
import type { PolicyRow } from "../../store/tables/control/policies.ts";
import type { RateSourceRow } from "../../store/tables/control/rates.ts";
import type { ProposalRow } from "../../store/tables/control/proposals.ts";
import type {
  AccountRow,
  ApiKeyRow,
  ReceivingWalletRow,
  RoleKeyRow,
} from "../../store/tables/setup.ts";
import { type SettingsRow, type UserRow, Users } from "../../store/tables/users.ts";
import { createApiKey } from "../access/manage_api_keys.ts";
import { removePasskey } from "../access/manage_passkeys.ts";
import { removeSecondFactor } from "../access/manage_second_factor.ts";
import { resetUser, setUserDisabled, setUserRole } from "../access/change_user.ts";
import { createUser, type Credential } from "../access/manage_users.ts";
import { setSettings } from "../access/require_second_factor.ts";
import { createRoleKey } from "../access/role_keys.ts";
import { setApiKey } from "../access/set_api_key.ts";
import { setReceivingWallet } from "../accounts/receiving_wallet.ts";
import { setAccount } from "../accounts/set_account.ts";
import type { TamperedRow } from "../books/tampered.ts";
import type { Mandate } from "../control/guard.ts";
import { acceptRow } from "../integrity/manage_integrity.ts";
import { acceptPolicies } from "../policies/accept.ts";
import { editPolicy, removePolicy, setPolicyActive } from "../policies/manage.ts";
import { addPayee } from "../policies/payees.ts";
import { addSource, removeSource } from "../rates/manage.ts";
import type { Actor, Deps } from "../deps.ts";

/** What was shown to whoever asked, and is stored only as hashes or encrypted. */
export type Made = Pick<ProposalRow, "passwordHash" | "linkHash" | "keyId" | "secretSealed">;
export const NOTHING_MADE: Made = {
  passwordHash: null,
  linkHash: null,
  keyId: "",
  secretSealed: null,
};

export interface Results {
  readonly "policy.switch_off": PolicyRow;
  readonly "policy.remove": PolicyRow;
  readonly "policy.edit": PolicyRow;
  readonly "policy.accept": number;
  readonly "payee.add": { readonly row: PayeeRow; readonly looksLike: string | undefined };
  readonly "receiving_wallet.set": ReceivingWalletRow;
  readonly "key.create": ApiKeyRow;
  readonly "role_key.create": RoleKeyRow;
  readonly "key.set": ApiKeyRow;
  readonly "user.create": UserRow;
  readonly "user.reset": UserRow;
  readonly "user.enable": UserRow;
  readonly "user.set_role": UserRow;
  readonly "second_factor.off": void;
  readonly "account.set": AccountRow;
  readonly "setting.set": SettingsRow;
  readonly "rate_source.add": RateSourceRow;
  readonly "rate_source.remove": RateSourceRow | null;
  readonly "row.accept": TamperedRow;
}

interface How {
  /** Whoever asked. */
  readonly actor: Actor;
  readonly mandate?: Mandate | undefined;
}

type Doing<K extends OrderKind> = (
  deps: Deps,
  order: Orders[K],
  how: How & { readonly made: Made },
) => Promise<Results[K]>;

const DOINGS: { readonly [K in OrderKind]: Doing<K> } = {
  "policy.switch_off": (deps, order, how) =>
    setPolicyActive(deps, { ...order, ...how, isActive: false }),
  "policy.remove": (deps, order, how) => removePolicy(deps, { ...order, ...how }),
  "policy.edit": (deps, order, how) => editPolicy(deps, { ...order, ...how }),
  "policy.accept": (deps, _, how) => acceptPolicies(deps, how),
  "payee.add": (deps, order, how) => addPayee(deps, { ...order, ...how }),
  "receiving_wallet.set": (deps, order, how) => setReceivingWallet(deps, { ...order, ...how }),
  "key.create": async (deps, order, { made, ...how }) =>
    (await createApiKey(deps, { ...order, ...how, made: madeKey(made) })).row,
  "role_key.create": (deps, order, { made, ...how }) =>
    createRoleKey(deps, { ...order, ...how, made: madeKey(made) }),
  "key.set": (deps, order, how) => setApiKey(deps, { ...order, ...how }),
  "user.create": (deps, order, how) => createUser(deps, { ...order, ...how }, null),
  "user.reset": (deps, order, how) => resetUser(deps, { ...order, ...how, password: null }),
  "user.enable": (deps, order, how) =>
    setUserDisabled(deps, { ...order, ...how, isDisabled: false }),
  "user.set_role": (deps, order, how) => setUserRole(deps, { ...order, ...how }),
  "second_factor.off": async (deps, { userId, passkeyId: id }, how) => {
    const user = await deps.db.get(Users, [userId]);
    if (id === null) await removeSecondFactor(deps, { user, ...how });
    else await removePasskey(deps, { user, id, ...how });
  },
  "account.set": (deps, order, how) => setAccount(deps, { ...order, ...how }),
  "setting.set": (deps, order, how) => setSettings(deps, { ...order, ...how }),
  "rate_source.add": (deps, order, how) => addSource(deps, { ...order, ...how }),
  "rate_source.remove": (deps, order, how) => removeSource(deps, { ...order, ...how }),
  "row.accept": (deps, order, how) => acceptRow(deps, { ...order, ...how }),
};

function madeKey({ keyId, secretSealed }: Made) {
  return secretSealed === null ? undefined : { keyId, secretSealed };
}

/** The one way to each change, with or without a proposal. */
export function carryOut<K extends OrderKind>(
  deps: Deps,
  { kind, wanted, ...how }: How & {
    readonly kind: K;
    readonly wanted: Orders[K];
    readonly made: Made;
  },
): Promise<Results[K]> {
  return DOINGS[kind](deps, wanted, how);
}

/** As it was stored. */
export function carryOutStored(
  deps: Deps,
  { row: { kind, wanted, keyId, secretSealed }, login, ...how }: How & {
    readonly row: ProposalRow;
    /** Made by whoever approves it. */
    readonly login: Credential | undefined;
  },
): Promise<unknown> {
  const made = makesLogin(kind)
    ? { ...NOTHING_MADE, ...login }
    : { ...NOTHING_MADE, keyId, secretSealed };
  return DOINGS[kind](deps, untyped(wanted), { ...how, made });
}
