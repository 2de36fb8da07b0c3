import { proveAgain } from "../../../actions/access/manage_sessions.ts";
import { OperatorError, TooManyTries } from "../../../domain/refusal.ts";
import { Card } from "../../parts/facts.tsx";
import { Field, Form, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { act, page } from "../../routes.ts";
import { safeNext } from "../../security.ts";

/** Before sensitive actions, sitting at an open browser is not enough. */
const provePage = page({
  path: "/prove",
  show: (visit) => {
    const hasFactor = visit.user.totpSealed !== null;
    const next = safeNext(visit.typed("next", visit.query.get("next") ?? ""));
    return (
      <Page visit={visit} title="Confirm it's you">
        <Card>
          <Form visit={visit} action="/prove">
            <input type="hidden" name="next" value={next} />
            <Field
              visit={visit}
              name="secret"
              label={hasFactor ? "Code" : "Password"}
              type={hasFactor ? "text" : "password"}
              autocomplete={hasFactor ? "one-time-code" : "current-password"}
              hint={hasFactor
                ? "The six digits from your authenticator app, or a recovery code. Valid for ten minutes."
                : "The next step is sensitive. This is valid for ten minutes."}
              isRequired
              isFocused
            />
            <Submit>Continue</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

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
