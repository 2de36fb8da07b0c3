import { Payees } from "../../store/tables/control/payees.ts";
import { Policies, PolicyBooks } from "../../store/tables/control/policies.ts";
import { RateSources } from "../../store/tables/control/rates.ts";
import { Proposals } from "../../store/tables/control/proposals.ts";
import { Accounts, ApiKeys, ReceivingWallets, RoleKeys } from "../../store/tables/setup.ts";
import type { AnyRow, Table } from "../../store/tables/table.ts";
import { Sessions, Settings, SetUpLinks, Users } from "../../store/tables/users.ts";

/** What dual control protects. Whoever may write one of these is in `GUARDED`. */
export const GUARDED_TABLES: readonly Table<AnyRow>[] = [
  Policies,
  PolicyBooks,
  Payees,
  ReceivingWallets,
  ApiKeys,
  RoleKeys,
  Users,
  SetUpLinks,
  Sessions,
  Settings,
  Accounts,
  RateSources,
  Proposals,
];

interface Writer {
  /** Commands and forms, with the proposal that each becomes under dual control. */
  readonly proposes?: Readonly<Record<string, string>>;
  /** What needs no second person, and why. */
  readonly atOnce?: Readonly<Record<string, string>>;
}

/** Every file that changes a guarded row. One that isn't here fails a test. */
export const GUARDED: Readonly<Record<string, Writer>> = {
  "policies/manage.ts": {
    proposes: {
      "policy set: off": "policy.switch_off",
      "policy remove": "policy.remove",
      "policy set: a higher limit": "policy.edit",
      "POST /rules/:id{[0-9]+}": "policy.edit",
      "POST /rules/:id{[0-9]+}/switch": "policy.switch_off",
      "POST /rules/:id{[0-9]+}/remove": "policy.remove",
    },
    atOnce: {
      "policy add": "one rule more is stricter",
      "policy set: on": "the same",
      resumeFilling: "what was being counted goes on",
      recountRespelled: "one spelling more is stricter",
    },
  },
  "policies/change.ts": { atOnce: { writeBook: "only together with a rule" } },
  "policies/accept.ts": { proposes: { "policy accept": "policy.accept" } },
  "policies/payees.ts": {
    proposes: { "payee add": "payee.add", "POST /payees/new": "payee.add" },
    atOnce: {
      "payee remove": "one payee less is stricter",
      "POST /payees/:id{[0-9]+}/remove": "the same",
    },
  },
  "accounts/_receiving_row.ts": {
    proposes: {
      "account receiving-wallet": "receiving_wallet.set",
      "account receiving-wallet: now": "receiving_wallet.set",
      "POST /wallets/receiving/set": "receiving_wallet.set",
    },
    atOnce: {
      "account receiving-wallet: cancel": "the wallet in use stays",
      "POST /wallets/receiving/cancel": "the same",
      receiverNow: "what was approved before takes effect",
    },
  },
  "accounts/manage_accounts.ts": { atOnce: { "account create": "it has nothing yet" } },
  "accounts/set_account.ts": {
    proposes: {
      "account set: dual control off": "account.set",
      "account set: a shorter cooling": "account.set",
      "account set: no second factor": "account.set",
      "POST /accounts/:id{[0-9]+}/settings": "account.set",
    },
    atOnce: { "account rename": "only a name", "account set: may push": "not covered" },
  },
  "accounts/suspend.ts": {
    atOnce: { "account suspend": "not covered", "account unsuspend": "not covered" },
  },
  "access/manage_api_keys.ts": {
    proposes: { "key create": "key.create", "POST /keys/new": "key.create" },
    atOnce: {
      "key revoke": "one key less is stricter",
      handKeyOf: "it has no permissions and was never active",
    },
  },
  "access/role_keys.ts": {
    proposes: { "key create: role": "role_key.create" },
    atOnce: { "key revoke: role": "one key less is stricter" },
  },
  "access/set_api_key.ts": { proposes: { "key set": "key.set" } },
  "access/manage_users.ts": {
    proposes: { "user create": "user.create", "POST /users": "user.create" },
  },
  "access/change_user.ts": {
    proposes: {
      "user reset": "user.reset",
      "POST /users/:id{[0-9]+}/reset": "user.reset",
      "user enable": "user.enable",
      "POST /users/:id{[0-9]+}/enable": "user.enable",
      "user set": "user.set_role",
      "POST /users/:id{[0-9]+}/role": "user.set_role",
    },
    atOnce: { "user disable": "one login less is stricter" },
  },
  "access/manage_links.ts": {
    atOnce: {
      useLink: "the link came with a login that was approved; the first operator's is refused",
      userLink: "refused under dual control",
    },
  },
  "access/change_factors.ts": {
    proposes: {
      "POST /profile/second-factor/off": "second_factor.off",
      "POST /profile/passkeys/remove": "second_factor.off",
    },
    atOnce: {
      confirmSecondFactor: "a second factor more is stricter; after the first, it takes that one",
      addPasskey: "the same",
      renewRecoveryCodes: "it takes the second factor itself",
    },
  },
  "access/manage_passkeys.ts": { atOnce: { addPasskey: "a challenge is used up" } },
  "passkeys/use.ts": { atOnce: { usePasskey: "somebody signs in" } },
  "access/_second_factor.ts": { atOnce: { spendSecondFactor: "a code is used up" } },
  "access/change_password.ts": { atOnce: { changePassword: "it takes the password itself" } },
  "access/sessions.ts": { atOnce: { openSession: "somebody signs in" } },
  "access/sign_in_with_code.ts": { atOnce: { signInWithCode: "somebody signs in" } },
  "access/manage_sessions.ts": { atOnce: { endSession: "one session less is stricter" } },
  "access/require_second_factor.ts": {
    proposes: {
      "setting set: dual control off": "setting.set",
      "setting set: no second factor": "setting.set",
      "POST /settings": "setting.set",
    },
  },
  "rates/manage.ts": {
    proposes: {
      "rate source add": "rate_source.add",
      "rate source remove": "rate_source.remove",
      "POST /rates/new": "rate_source.add",
      "POST /rates/:id/remove": "rate_source.remove",
    },
  },
  "integrity/manage_integrity.ts": { proposes: { "integrity accept": "row.accept" } },
  "networks/remove.ts": {
    atOnce: {
      "network remove": "nothing was booked there; a new wallet or payee is proposed again",
    },
  },
  "operations/_seal_table.ts": { atOnce: { sealTable: "once, for rows from before seals" } },
  "operations/_reseal.ts": { atOnce: { resealAll: "the same secrets, encrypted with a new key" } },
  "proposals/propose.ts": { atOnce: { propose: "asks for a second person" } },
  "proposals/decide.ts": {
    atOnce: {
      approveProposal: "the second person",
      expireProposals: "nothing is done any more",
      restore: "a restored proposal may have been decided since: it expires",
    },
  },
};
