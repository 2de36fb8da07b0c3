import { type Passkey, passkeysOf } from "../rules/second_factors.ts";
import { type UserRow, Users } from "../tables/users.ts";
import type { View } from "../../store/engine/workspace.ts";
import { insertNotice } from "../../books/alerts.ts";
import { recordAudit } from "../../books/records.ts";
import type { Actor } from "../../deps/deps.ts";
import type { PasskeyProof } from "./check.ts";

interface Use {
  readonly user: UserRow;
  readonly proof: PasskeyProof;
  readonly actor: Actor;
}

/** False if it was removed since, or if its counter says that there is a copy of it. */
export function usePasskey(view: View, use: Use): boolean {
  const { user, proof: { id, counter } } = use;
  const passkey = passkeysOf(user).find((one) => one.id === id);
  if (!passkey) return false;
  const isCounting = counter > 0 || passkey.counter > 0;
  if (isCounting && counter <= passkey.counter) {
    reportCopy(view, { ...use, passkey });
    return false;
  }
  const used = { ...passkey, counter, usedAtMs: view.nowMs };
  const passkeys = passkeysOf(user).map((one) => one === passkey ? used : one);
  view.atOnce("somebody shows who they are").update(Users, user, { passkeys });
  return true;
}

function reportCopy(
  view: View,
  { user: { id, email, accountId }, proof, actor, passkey }: Use & { passkey: Passkey },
): void {
  const { nowMs } = view;
  const subject = `user:${id}`;
  const detail = { passkey: passkey.name, counter: proof.counter, before: passkey.counter };
  recordAudit(view, { actor, action: "user.passkey_refused", subject, detail, nowMs });
  const title = `Remove a passkey of ${email} that may have been copied: "${passkey.name}"`;
  const text = "It was used less often than we have counted, so it was refused. Then add the " +
    "device again";
  insertNotice(view, { topic: "security", accountId, title, text, nowMs });
}
