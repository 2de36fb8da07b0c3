import { withAccount } from "../../dashboard/parts/account.tsx";
import { KEY_PRESETS } from "../rules/key_presets.ts";
import { type Permission, PERMISSIONS } from "../rules/permissions.ts";
import { NotFound, type Visit } from "../../dashboard/visit.ts";

export function choicesFor(visit: Visit) {
  return PERMISSIONS
    .filter((one) => mayManage(visit, { permissions: [one] }))
    .map((value) => ({ value, label: value.replaceAll("_", " ") }));
}

export function presetsFor(visit: Visit) {
  const usable = KEY_PRESETS.filter((preset) => mayManage(visit, preset));
  const only = { value: "", label: "Only single permissions" };
  return [...usable.map(({ name, words }) => ({ value: name, label: words })), only];
}

/** A preset's, and those that were ticked. */
export function permissionsOf(visit: Visit, ticked: readonly Permission[]): Permission[] {
  const preset = KEY_PRESETS.find(({ name }) => name === visit.form.text("preset"));
  return PERMISSIONS.filter((one) => ticked.includes(one) || preset?.permissions.includes(one));
}

interface Permitted {
  readonly permissions: readonly Permission[];
}

/** Developers neither make nor revoke keys that can pay. */
export function mayManage(visit: Visit, { permissions }: Permitted): boolean {
  const isPaying = permissions.includes("withdraw");
  return visit.isAble(isPaying ? "manage_withdraw_keys" : "manage_keys");
}

export function mustManage(visit: Visit, key: Permitted): void {
  if (!mayManage(visit, key)) throw new NotFound();
}

/** The list of the account's keys. */
export function keysUp(visit: Visit, accountId?: number) {
  return { path: withAccount(visit, "/keys", accountId), label: "API keys" };
}
