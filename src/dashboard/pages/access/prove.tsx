import { proveAgain } from "../../../actions/access/manage_sessions.ts";
import { OperatorError, TooManyTries } from "../../../domain/refusal.ts";
import { Card } from "../../parts/facts.tsx";
import { Field, Form, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { act, page } from "../../routes.ts";
import { safeNext } from "../../security.ts";

/** Before sensitive acts: whoever sits at an open browser is not enough. */
const provePage = page({
  path: "/prove",
  show: (visit) => {
    const hasFactor = visit.user.totpSealed !== null;
    const next = safeNext(visit.typed("next", visit.query.get("next") ?? ""));
    return (
      <Page visit={visit} title="Is it you?">
        <Card>
          <Form visit={visit} action="/prove">
            <input type="hidden" name="next" value={next} />
            <Field
              {...{ visit, name: "secret", label: hasFactor ? "Code" : "Password" }}
              type={hasFactor ? "text" : "password"}
              autocomplete={hasFactor ? "one-time-code" : "current-password"}
              hint={hasFactor
                ? "The six digits of your authenticator app, or a recovery code. Good for ten minutes."
                : "What you go on to is sensitive. Good for ten minutes."}
              isRequired
              isFocused
            />
            <Submit>Go on</Submit>
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
    if (!isRight) throw new OperatorError("That was not right");
    return { to: safeNext(form.text("next")) };
  },
});

export const PROVE_ROUTES = [provePage, proveAct];
