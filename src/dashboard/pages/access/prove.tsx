import { proveAgain } from "../../../actions/access/manage_sessions.ts";
import { OperatorError, TooManyTries } from "../../../domain/refusal.ts";
import { Card } from "../../parts/facts.tsx";
import { Field, Form, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { act, page } from "../../routes.ts";
import { safeNext } from "../../security.ts";
import type { Visit } from "../../visit.ts";

/** Before sensitive actions, sitting at an open browser is not enough. */
const provePage = page({
  path: "/prove",
  show: (visit) => {
    const next = safeNext(visit.typed("next", visit.query.get("next") ?? ""));
    const held = visit.typed("held", visit.query.get("held") ?? "");
    return (
      <Page visit={visit} title="Confirm it's you">
        <Card>
          <Form visit={visit} action="/prove">
            <input type="hidden" name="next" value={next} />
            <input type="hidden" name="held" value={held} />
            {visit.user.totpSealed === null
              ? <PasswordField visit={visit} />
              : <CodeField visit={visit} />}
            <Submit>Continue</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const PasswordField = ({ visit }: { visit: Visit }) => (
  <Field
    visit={visit}
    name="secret"
    label="Password"
    type="password"
    autocomplete="current-password"
    hint="The next step is sensitive. This is valid for ten minutes."
    isRequired
    isFocused
  />
);

const CodeField = ({ visit }: { visit: Visit }) => (
  <Field
    visit={visit}
    name="secret"
    label="Code"
    autocomplete="one-time-code"
    hint="The six digits from your authenticator app, or a recovery code. Valid for ten minutes."
    isRequired
    isFocused
  />
);

const proveAct = act({
  path: "/prove",
  on: provePage,
  isPersonal: true,
  run: async (visit) => {
    const { deps, session, user, origin, form } = visit;
    const secret = form.text("secret");
    const { isRight, retryAfterS } = await proveAgain(deps, { session, user, secret, origin });
    if (retryAfterS !== undefined) throw new TooManyTries(retryAfterS);
    if (!isRight) throw new OperatorError("That is not correct");
    return { to: safeNext(form.text("next")) };
  },
});

export const PROVE_ROUTES = [provePage, proveAct];
