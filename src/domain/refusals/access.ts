import { isGatewayRole, type Role } from "../access/roles.ts";

export const ACCESS = {
  password_wrong: () => "The current password is wrong",
  password_changed_elsewhere: () => "The password was changed elsewhere: sign in again",
  password_too_short: ({ min }: { min: number }) => `A password needs at least ${min} characters`,
  password_too_long: ({ max }: { max: number }) => `A password may have at most ${max} characters`,
  link_unusable: () => "This link has been used or has expired: ask for a new one",
  code_wrong: () => "That code is wrong: check the app's clock and try again",
  user_unknown: ({ user }: { user: number | string }) => `There is no user ${user}`,
  user_taken: ({ email }: { email: string }) => `A user ${email} already exists`,
  user_role_misfit: ({ role }: { role: Role }) =>
    isGatewayRole(role) ? `The role ${role} has no account` : `The role ${role} needs an account`,
  second_factor_required: () => "A second factor is required, so it can't be turned off",
  user_barred: ({ email }: { email: string }) =>
    `${email} was disabled by an operator: only an operator can enable it`,
  email_wrong: ({ text }: { text: string }) => `"${text}" is not an email address`,
  key_is_revoked: ({ keyId }: { keyId: string }) =>
    `${keyId} is revoked, and a revoked key can't be changed`,
  proof_wrong: ({ email }: { email: string }) =>
    `The code or password of ${email} is wrong, or the login can't be used`,
  key_unknown: ({ keyId }: { keyId: string }) => `There is no key ${keyId}`,
  keys_too_many: ({ keys }: { keys: number }) =>
    `There are already ${keys} keys: revoke the ones nobody uses`,
  requests_too_many: ({ max, others }: { max: number; others: number }) =>
    `All keys together may make ${max} requests a minute, and the others already have ` +
    `${others}: choose a lower limit, revoke a key, or ask an operator to add this one`,
};
