import type { ProposalState } from "../../proposals/rules.ts";
import { isGatewayRole, type Role } from "./roles.ts";

export const ACCESS = {
  password_wrong: () => "The current password is wrong",
  password_changed_elsewhere: () => "The password was changed elsewhere: sign in again",
  password_too_short: ({ min }: { min: number }) => `A password needs at least ${min} characters`,
  password_too_long: ({ max }: { max: number }) => `A password may have at most ${max} characters`,
  link_unusable: () => "This link has been used or has expired: ask for a new one",
  code_wrong: () => "That code is wrong: check the app's clock and try again",
  passkey_wrong: () => "That passkey couldn't be checked: load the page again, and try once more",
  passkey_known: () => "This passkey has already been added",
  passkey_unknown: () => "This passkey has already been removed",
  passkeys_too_many: ({ max }: { max: number }) =>
    `There are already ${max} passkeys: remove one that you don't use`,
  user_unknown: ({ user }: { user: number | string }) => `There is no user ${user}`,
  user_ambiguous: ({ email, ids }: { email: string; ids: readonly number[] }) =>
    `${email} has several logins: say which by its id, ${ids.join(" or ")}`,
  user_taken: ({ email }: { email: string }) => `A user ${email} already exists`,
  user_role_misfit: ({ role }: { role: Role }) =>
    isGatewayRole(role)
      ? `A user with the role ${role} belongs to no account`
      : `A user with the role ${role} needs an account`,
  user_role_same: ({ email, role }: { email: string; role: Role }) => `${email} is ${role} already`,
  user_last_operator: ({ email }: { email: string }) =>
    `${email} is the last operator, so nobody could manage this installation`,
  second_person_needed: () => "Dual control is on: a second person must approve this",
  dual_control_alone: ({ accountId, people, ofGateway }: {
    accountId: number | null;
    people: number;
    ofGateway: number;
  }) =>
    accountId === null
      ? `Dual control needs two operators or approvers who can sign in, and there ${count(people)}`
      : `Dual control of account ${accountId} needs two people who can sign in and decide ` +
        `(operators, approvers, or merchants of the account), at least one of them an operator ` +
        `or approver: there ${count(people)}, ${ofGateway} of them operators or approvers`,
  proposals_too_many: ({ max }: { max: number }) =>
    `${max} proposals wait already: approve or reject some of them first`,
  proposal_unknown: ({ id }: { id: number }) => `There is no proposal ${id}`,
  proposal_decided: ({ id, state }: { id: number; state: ProposalState }) =>
    `Proposal ${id} is ${state} already`,
  proposal_own: ({ id }: { id: number }) =>
    `Somebody else must decide on proposal ${id}: you made it yourself`,
  proposal_not_allowed: ({ email }: { email: string }) => `${email} may not decide on this`,
  proposal_outdated: ({ id }: { id: number }) =>
    `What proposal ${id} would change has changed since: reject it, and make it again`,
  second_factor_required: () => "A second factor is required, so it can't be turned off",
  user_barred: ({ email }: { email: string }) =>
    `${email} was disabled by an operator: only an operator can enable it`,
  email_wrong: ({ text }: { text: string }) => `"${text}" is not an email address`,
  key_is_revoked: ({ keyId }: { keyId: string }) =>
    `${keyId} is revoked, and a revoked key can't be changed`,
  proof_wrong: ({ email }: { email: string }) =>
    `The code or password of ${email} is wrong, or the login can't be used`,
  proof_needs_code: ({ email }: { email: string }) =>
    `That is no recovery code of ${email}. Passkeys only work in a browser: set up an ` +
    `authenticator app on the dashboard's profile page, or use a recovery code`,
  key_unknown: ({ keyId }: { keyId: string }) => `There is no key ${keyId}`,
  keys_too_many: ({ keys }: { keys: number }) =>
    `There are already ${keys} keys made here: revoke the ones nobody uses`,
  requests_too_many: ({ max, others }: { max: number; others: number }) =>
    `All keys made here together may make ${max} requests a minute, and the others already have ` +
    `${others}: choose a lower limit, revoke a key, or ask an operator to add this one`,
};

function count(people: number): string {
  return people === 1 ? "is 1" : `are ${people}`;
}
