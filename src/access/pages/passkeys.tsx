import { addPasskey } from "../manage_passkeys.ts";
import { askToCreate } from "../passkeys/offer.ts";
import { PASSKEY_NAME_MAX } from "../rules/second_factors.ts";
import * as kind from "../../domain/kinds.ts";
import { FormFault } from "../../dashboard/form.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Field, Form } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import {
  answerIn,
  NEEDS_ADDRESS,
  NEEDS_SCRIPT,
  PasskeyButton,
} from "../../dashboard/parts/passkey.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE } from "../../dashboard/visit.ts";
import { RecoveryCodes } from "./second_factor.tsx";

const UP = { path: "/profile", label: "Profile" };
const NAME = kind.text({ max: PASSKEY_NAME_MAX });

const newPasskeyPage = page({
  path: "/profile/passkeys/new",
  ability: "own_login",
  isBeforeFactor: true,
  isSensitive: true,
  show: async (visit) => {
    const { site } = visit;
    const options = site && await askToCreate(visit.deps, { ...visit, site });
    return (
      <Page visit={visit} title="Add a passkey" up={UP}>
        <Card>
          <p>
            Your phone, computer or security key keeps it, and asks for a fingerprint, your face or
            a PIN when it is used.
          </p>
          {!site || options === undefined
            ? <p class="message warn">{NEEDS_ADDRESS}</p>
            : (
              <Form visit={visit} action="/profile/passkeys/new">
                <Field
                  visit={visit}
                  name="name"
                  label="Name"
                  hint="To tell it from others, such as the device that it is on."
                  maxlength={PASSKEY_NAME_MAX}
                  isRequired
                  isFocused
                />
                <PasskeyButton how="create" options={options} site={site}>
                  Create passkey
                </PasskeyButton>
              </Form>
            )}
          <p class="quiet small">
            Or use{" "}
            <a href={`${BASE}/profile/second-factor`}>an authenticator app</a>, which needs no
            JavaScript.
          </p>
        </Card>
      </Page>
    );
  },
});

const addPasskeyAct = act({
  path: "/profile/passkeys/new",
  ability: "own_login",
  isBeforeFactor: true,
  on: newPasskeyPage,
  isPersonal: true,
  isSensitive: true,
  run: async (visit) => {
    const { deps, user, session, site, actor, form } = visit;
    const name = form.read((fields) => fields.required("name", NAME));
    const answer = answerIn(visit);
    if (answer === "") throw new FormFault(NEEDS_SCRIPT);
    const codes = await addPasskey(deps, { user, session, site, name, answer, actor });
    return codes.length > 0
      ? <RecoveryCodes visit={visit} codes={codes} />
      : done("/profile", "Passkey added");
  },
});

export const PASSKEY_ROUTES = [newPasskeyPage, addPasskeyAct];
