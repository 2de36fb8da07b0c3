import { proveAgain } from "../manage_sessions.ts";
import { hasSecondFactor, passkeysOf } from "../rules/second_factors.ts";
import type { UserRow } from "../tables/users.ts";
import { OperatorError, TooManyTries } from "../../domain/refusal.ts";
import { Card } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { givenIn, PasskeyProof } from "../../dashboard/parts/passkey.tsx";
import { act, page } from "../../dashboard/routes.ts";
import { safeNext } from "../../dashboard/security.ts";
import type { Visit } from "../../dashboard/visit.ts";

/** Before sensitive actions, sitting at an open browser is not enough. */
const provePage = page({
  path: "/prove",
  ability: "own_login",
  isBeforeFactor: true,
  show: (visit) => {
    const next = safeNext(visit.typed("next", visit.query.get("next") ?? ""));
    const held = visit.typed("held", visit.query.get("held") ?? "");
    const waiting = (
      <>
        <input type="hidden" name="next" value={next} />
        <input type="hidden" name="held" value={held} />
      </>
    );
    return (
      <Page visit={visit} title="Confirm it's you">
        <Card>
          <p>The next step is sensitive, so confirm that it's you. This counts for ten minutes.</p>
          {held !== "" && <p>What you asked for on {next} is done right after that.</p>}
          <PasskeyProof visit={visit} live={visit} action="/prove">{waiting}</PasskeyProof>
          <Form visit={visit} action="/prove">
            {waiting}
            <SecretField visit={visit} />
            <Submit>Continue</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const SecretField = ({ visit }: { visit: Visit }) => {
  const { user } = visit;
  const [label, hint] = secretOf(user);
  return (
    <Field
      visit={visit}
      name="secret"
      label={label}
      type={hasSecondFactor(user) ? "text" : "password"}
      autocomplete={hasSecondFactor(user) ? "one-time-code" : "current-password"}
      hint={hint}
      isRequired
      isFocused={passkeysOf(user).length === 0}
    />
  );
};

function secretOf(user: UserRow): [label: string, hint?: string] {
  if (!hasSecondFactor(user)) return ["Password"];
  if (user.totpSealed === null) return ["Recovery code"];
  return ["Code", "The six digits from your authenticator app, or a recovery code."];
}

const proveAct = act({
  path: "/prove",
  ability: "own_login",
  isBeforeFactor: true,
  on: provePage,
  isPersonal: true,
  run: async (visit) => {
    const { deps, session, user, origin, form } = visit;
    const given = givenIn(visit, { session, field: "secret" });
    const { isRight, retryAfterS } = await proveAgain(deps, { session, user, given, origin });
    if (retryAfterS !== undefined) throw new TooManyTries(retryAfterS);
    if (!isRight) throw new OperatorError("That is not correct");
    return { to: safeNext(form.text("next")) };
  },
});

export const PROVE_ROUTES = [provePage, proveAct];
