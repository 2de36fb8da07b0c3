import { hasSecondFactor, type Passkey, passkeysOf } from "../rules/second_factors.ts";
import { STEP_MS } from "../../base/secrets/totp.ts";
import { Card, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { NEEDS_ADDRESS } from "../../dashboard/parts/passkey.tsx";
import { Table } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";

const RECOVERY_CODES = 10;

/** A passkey, or the app: null. */
interface Factor {
  readonly passkey: Passkey | null;
  readonly usedAtMs: number | null;
}

export const FactorsCard = ({ visit }: { visit: Visit }) => {
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
