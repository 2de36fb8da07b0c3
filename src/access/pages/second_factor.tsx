import type { Component } from "../../base/html.ts";
import {
  confirmSecondFactor,
  type NewSecondFactor,
  offerAgain,
  offerSecondFactor,
} from "../manage_second_factor.ts";
import { Card, CopyButton } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { Qr } from "../../base/qr.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";

/** Where users go who must set up a second factor first. */
export const SET_UP_FACTOR = "/profile/second-factor";
const UP = { path: "/profile", label: "Profile" };

const setUpFactorPage = page({
  path: SET_UP_FACTOR,
  ability: "own_login",
  isBeforeFactor: true,
  isSensitive: true,
  show: async (visit) => {
    const sealed = visit.form.text("sealed");
    const offer = sealed === ""
      ? await offerSecondFactor(visit.deps, visit.user)
      : await offerAgain(visit.deps, { sealed, user: visit.user });
    return (
      <Page visit={visit} title="Set up an authenticator app" up={UP}>
        <Card>
          {visit.site && (
            <p>
              A <a href={`${BASE}/profile/passkeys/new`}>passkey</a>{" "}
              is safer and takes one tap. For an authenticator app, go on here.
            </p>
          )}
          <p>Scan this with your authenticator app, then enter the six digits it shows.</p>
          <Qr text={offer.uri} label="QR code for the authenticator app" />
          <p class="small">
            Or type this into the app: <code class="whole">{spaced(offer)}</code>{" "}
            <CopyButton text={offer.secret} />
          </p>
          <FirstCode visit={visit} sealed={offer.sealed} />
        </Card>
      </Page>
    );
  },
});

const FirstCode = ({ visit, sealed }: { visit: Visit; sealed: string }) => (
  <Form visit={visit} action={SET_UP_FACTOR}>
    <input type="hidden" name="sealed" value={sealed} />
    <Field
      visit={visit}
      name="code"
      label="Code"
      inputmode="numeric"
      autocomplete="one-time-code"
      isRequired
      isMono
    />
    <Submit>Turn on</Submit>
  </Form>
);

const setUpFactorAct = act({
  path: SET_UP_FACTOR,
  ability: "own_login",
  isBeforeFactor: true,
  on: setUpFactorPage,
  isPersonal: true,
  isSensitive: true,
  run: async (visit) => {
    const { deps, user, actor, form } = visit;
    const [sealed, code] = [form.text("sealed"), form.text("code")];
    const codes = await confirmSecondFactor(deps, { user, sealed, code, actor });
    return codes.length > 0
      ? <RecoveryCodes visit={visit} codes={codes} />
      : done("/profile", "The authenticator app is set up");
  },
});

export const RecoveryCodes: Component<{ visit: Visit; codes: readonly string[] }> = (
  { visit, codes },
) => (
  <Page visit={visit} title="Your recovery codes" up={UP}>
    <Card>
      <p class="message warn">
        These codes are shown only once. Keep them somewhere other than your phone: each one signs
        you in once without it.
      </p>
      <ul class="codes secret">
        {codes.map((code) => (
          <li>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="actions">
        <a class="button" href={`${BASE}/profile`}>I have saved them</a>
        <CopyButton text={codes.join("\n")} label="Copy all" />
      </div>
    </Card>
  </Page>
);

function spaced({ secret }: NewSecondFactor): string {
  return secret.match(/.{1,4}/g)!.join(" ");
}

export const SECOND_FACTOR_ROUTES = [
  setUpFactorPage,
  setUpFactorAct,
];
