import { changePassword } from "../change_password.ts";
import { renewRecoveryCodes, secondFactorOff } from "../manage_second_factor.ts";
import { endSession, sessionsOf } from "../manage_sessions.ts";
import { RecoveryCodes } from "./second_factor.tsx";
import { browserName } from "../rules/browser_name.ts";
import { hasSecondFactor, type Passkey, passkeysOf } from "../rules/second_factors.ts";
import type { SessionRow } from "../tables/users.ts";
import { STEP_MS } from "../../base/secrets/totp.ts";
import { fieldFault } from "../../dashboard/form.ts";
import { Card, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Field, Form, NewPassword, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { NEEDS_ADDRESS } from "../../dashboard/parts/passkey.tsx";
import { Table } from "../../dashboard/parts/table.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, NotFound, type Visit } from "../../dashboard/visit.ts";
import { changeOrPropose, waitsText } from "../../proposals/words.ts";

const RECOVERY_CODES = 10;

const profilePage = page({
  path: "/profile",
  ability: "own_login",
  nav: { label: "Profile and sessions", group: "Settings" },
  show: async (visit) => {
    const sessions = await sessionsOf(visit.deps, visit.user);
    return (
      <Page visit={visit} title="Profile and sessions">
        <FactorsCard visit={visit} />
        <PasswordCard visit={visit} />
        <Card title="Active sessions">
          <SessionTable visit={visit} sessions={sessions} />
        </Card>
      </Page>
    );
  },
});

const PasswordCard = ({ visit }: { visit: Visit }) => (
  <Card title="Password">
    <Form visit={visit} action="/profile/password">
      <Field
        visit={visit}
        name="current"
        label="Current password"
        type="password"
        autocomplete="current-password"
        isRequired
      />
      <NewPassword
        visit={visit}
        name="next"
        label="New password"
        hint="At least 12 characters. This ends all other sessions."
      />
      <NewPassword visit={visit} name="again" label="Repeat new password" />
      <Submit>Change password</Submit>
    </Form>
  </Card>
);

const SessionTable = ({ visit, sessions }: { visit: Visit; sessions: readonly SessionRow[] }) => (
  <Table
    caption="Sessions"
    rows={sessions}
    empty="No sessions"
    columns={[
      { title: "IP address", cell: ({ ip }) => <code>{ip}</code> },
      { title: "Browser", isMinor: true, cell: ({ userAgent }) => browserName(userAgent) },
      { title: "Signed in", cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
      { title: "Last seen", cell: ({ seenAtMs }) => <Time atMs={seenAtMs} /> },
      {
        title: "End",
        isTitleHidden: true,
        cell: ({ id }) =>
          id === visit.session.id
            ? <Status value="this session" />
            : <EndSession visit={visit} id={id} />,
      },
    ]}
  />
);

const EndSession = ({ visit, id }: { visit: Visit; id: number }) => (
  <Form visit={visit} action={`/profile/sessions/${id}/end`} isInline>
    <Submit tone="link">End</Submit>
  </Form>
);

const passwordAct = act({
  path: "/profile/password",
  ability: "own_login",
  on: profilePage,
  isPersonal: true,
  run: async ({ deps, form, session, user, origin }) => {
    const [current, next] = [form.text("current"), form.text("next")];
    if (form.text("again") !== next) throw fieldFault("again", "The passwords don't match");
    await changePassword(deps, { session, user, current, next, origin });
    return done("/profile", "Password changed. All other sessions have ended");
  },
});

const endSessionAct = act({
  path: "/profile/sessions/:id/end",
  ability: "own_login",
  on: profilePage,
  isPersonal: true,
  run: async (visit) => {
    const order = { id: visit.id(), userId: visit.user.id, actor: visit.actor };
    if (!await endSession(visit.deps, order)) throw new NotFound();
    return done("/profile", "Session ended");
  },
});

const switchOffAct = act({
  path: "/profile/second-factor/off",
  ability: "own_login",
  on: profilePage,
  isSensitive: true,
  run: async (visit) => {
    const wanted = { userId: visit.user.id, passkeyId: null };
    const { proposal } = await changeOrPropose(visit, secondFactorOff, { wanted });
    return done("/profile", proposal ? waitsText(proposal) : "The authenticator app is off");
  },
});

const removePasskeyAct = act({
  path: "/profile/passkeys/remove",
  ability: "own_login",
  on: profilePage,
  isSensitive: true,
  run: async (visit) => {
    const wanted = { userId: visit.user.id, passkeyId: visit.form.text("id") };
    const { proposal } = await changeOrPropose(visit, secondFactorOff, { wanted });
    return done("/profile", proposal ? waitsText(proposal) : "Passkey removed");
  },
});

const renewCodesAct = act({
  path: "/profile/recovery-codes",
  ability: "own_login",
  on: profilePage,
  isPersonal: true,
  isSensitive: true,
  run: async (visit) => {
    const { deps, user, actor } = visit;
    return <RecoveryCodes visit={visit} codes={await renewRecoveryCodes(deps, { user, actor })} />;
  },
});

const signOutAct = act({
  path: "/sign-out",
  ability: "own_login",
  isBeforeFactor: true,
  on: profilePage,
  isPersonal: true,
  run: async ({ deps, session, user, actor }) => {
    await endSession(deps, { id: session.id, userId: user.id, actor });
    return { ...done("/sign-in", "You are signed out"), token: null };
  },
});

export const PROFILE_ROUTES = [
  profilePage,
  passwordAct,
  endSessionAct,
  switchOffAct,
  removePasskeyAct,
  renewCodesAct,
  signOutAct,
];

/** A passkey, or the app: null. */
interface Factor {
  readonly passkey: Passkey | null;
  readonly usedAtMs: number | null;
}

const FactorsCard = ({ visit }: { visit: Visit }) => {
  const { user, site } = visit;
  const isOn = hasSecondFactor(user);
  return (
    <Card title="Second factor" actions={<Status value={isOn ? "on" : "off"} />}>
      {isOn
        ? <FactorTable visit={visit} />
        : <p>With a second factor, a stolen password alone is not enough to sign in.</p>}
      {isOn && <p>{user.recoveryHashes.length} of {RECOVERY_CODES} recovery codes are unused.</p>}
      <div class="actions">
        {site && <a class="button" href={`${BASE}/profile/passkeys/new`}>Add a passkey</a>}
        {user.totpSealed === null && (
          <a
            class={site ? "button plain" : "button"}
            href={`${BASE}/profile/second-factor`}
          >
            Set up an authenticator app
          </a>
        )}
        {isOn && <NewCodes visit={visit} />}
      </div>
      {!site && <p class="hint">{NEEDS_ADDRESS}</p>}
    </Card>
  );
};

const NewCodes = ({ visit }: { visit: Visit }) => (
  <Form visit={visit} action="/profile/recovery-codes" isInline>
    <Submit tone="plain" confirm="Your current recovery codes will stop working.">
      New recovery codes
    </Submit>
  </Form>
);

const FactorTable = ({ visit }: { visit: Visit }) => (
  <Table
    caption="Second factors"
    rows={factorsOf(visit)}
    empty="None"
    columns={[
      { title: "Name", cell: ({ passkey }) => <Name visit={visit} passkey={passkey} /> },
      {
        title: "Added",
        isMinor: true,
        cell: ({ passkey }) => <Time atMs={passkey?.createdAtMs ?? null} />,
      },
      { title: "Last used", cell: ({ usedAtMs }) => <Time atMs={usedAtMs} none="never" /> },
      {
        title: "Remove",
        isTitleHidden: true,
        cell: ({ passkey }) => <Remove visit={visit} passkey={passkey} />,
      },
    ]}
  />
);

function factorsOf({ user }: Visit): Factor[] {
  const usedAtMs = user.totpStep * STEP_MS;
  const app = user.totpSealed === null ? [] : [{ passkey: null, usedAtMs }];
  return [...app, ...passkeysOf(user).map((passkey) => ({ passkey, usedAtMs: passkey.usedAtMs }))];
}

const Name = ({ visit, passkey }: { visit: Visit } & Pick<Factor, "passkey">) =>
  passkey === null ? "Authenticator app" : (
    <>
      Passkey <bdi>{passkey.name}</bdi>
      {passkey.rpId !== visit.site?.id && <span class="quiet">, only at {passkey.rpId}</span>}
    </>
  );

const Remove = ({ visit, passkey }: { visit: Visit } & Pick<Factor, "passkey">) => {
  const isLast = factorsOf(visit).length === 1;
  const confirm = isLast
    ? "Your password alone will be enough to sign in."
    : "You won't be able to sign in with it any more.";
  return (
    <Form
      visit={visit}
      action={passkey ? "/profile/passkeys/remove" : "/profile/second-factor/off"}
      isInline
    >
      {passkey && <input type="hidden" name="id" value={passkey.id} />}
      <Submit tone="danger" confirm={confirm}>{passkey ? "Remove" : "Turn off"}</Submit>
    </Form>
  );
};
