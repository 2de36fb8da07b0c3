import { findSession, type LiveSession } from "../manage_sessions.ts";
import { type SignIn, signIn } from "../sign_in.ts";
import { signInWithCode } from "../sign_in_with_code.ts";
import { OperatorError, TooManyTries } from "../../domain/refusal.ts";
import { passkeysOf } from "../rules/second_factors.ts";
import { givenIn, PasskeyProof } from "../../dashboard/parts/passkey.tsx";
import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { GuestPage } from "../../dashboard/parts/page.tsx";
import { act, type Done, page } from "../../dashboard/routes.ts";
import { safeNext } from "../../dashboard/security.ts";
import type { Guest } from "../../dashboard/visit.ts";

const WRONG = "Wrong email or password, or this login is disabled";
const WRONG_PASSKEY = "That passkey couldn't be checked. Try once more, or use a code";
const WRONG_CODE = "Wrong code. Each code works only once";

const signInPage = page<Guest>({
  path: "/sign-in",
  ability: null,
  show: (guest) => (
    <GuestPage guest={guest} title="Sign in">
      {nextPath(guest) !== "/" && <p>Sign in to go on where you were.</p>}
      <Form visit={guest} action="/sign-in">
        <Next guest={guest} />
        <Field
          visit={guest}
          name="email"
          label="Email"
          type="email"
          autocomplete="username"
          isRequired
          isFocused
        />
        <Field
          visit={guest}
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          isRequired
        />
        <Submit>Sign in</Submit>
      </Form>
    </GuestPage>
  ),
});

const signInAct = act<Guest>({
  path: "/sign-in",
  ability: null,
  on: signInPage,
  run: async (guest) => {
    const { form, origin, deps } = guest;
    const email = form.text("email");
    const signed = await signIn(deps, { email, password: form.text("password"), origin });
    return goOn(guest, signed, WRONG);
  },
});

const codePage = page<Guest>({
  path: "/sign-in/code",
  ability: null,
  show: async (guest) => {
    const live = await halfSignedIn(guest);
    const hasApp = live?.user.totpSealed !== null;
    const hasPasskey = live !== undefined && passkeysOf(live.user).length > 0;
    return (
      <GuestPage guest={guest} title="One more step">
        {live && (
          <PasskeyProof visit={guest} live={live} action="/sign-in/code">
            <Next guest={guest} />
          </PasskeyProof>
        )}
        {hasApp && <p>Enter the six digits from your authenticator app, or a recovery code.</p>}
        <Form visit={guest} action="/sign-in/code">
          <Next guest={guest} />
          <Field
            visit={guest}
            name="code"
            label={hasApp ? "Code" : "Recovery code"}
            autocomplete="one-time-code"
            isRequired
            isFocused={!hasPasskey}
            isMono
          />
          <Submit>Sign in</Submit>
        </Form>
      </GuestPage>
    );
  },
});

const codeAct = act<Guest>({
  path: "/sign-in/code",
  ability: null,
  on: codePage,
  run: async (guest) => {
    const live = await halfSignedIn(guest);
    if (!live) {
      const text = "That took too long. Please sign in again";
      return { to: "/sign-in", flash: { kind: "fault", text } };
    }
    const { origin, deps } = guest;
    const given = givenIn(guest, { ...live, field: "code" });
    const wrong = typeof given === "string" ? WRONG_CODE : WRONG_PASSKEY;
    return goOn(guest, await signInWithCode(deps, { ...live, given, origin }), wrong);
  },
});

/** With the right password, and before the second factor. */
async function halfSignedIn({ deps, facts }: Guest): Promise<LiveSession | undefined> {
  const live = await findSession(deps, facts.token);
  return live?.session.stage === "code" ? live : undefined;
}

export const SIGN_IN_ROUTES = [signInPage, signInAct];
export const CODE_ROUTES = [codePage, codeAct];

function goOn(guest: Guest, signed: SignIn, wrong: string): Done {
  if (signed.outcome === "wrong") throw new OperatorError(wrong);
  if (signed.outcome === "throttled") throw new TooManyTries(signed.retryAfterS);
  const next = safeNext(guest.form.text("next"));
  if (signed.outcome === "open") return { to: next, token: signed.token };
  return { to: `/sign-in/code?next=${encodeURIComponent(next)}`, token: signed.token };
}

const Next = ({ guest }: { guest: Guest }) => (
  <input
    type="hidden"
    name="next"
    value={nextPath(guest)}
  />
);

function nextPath(guest: Guest): string {
  return safeNext(guest.typed("next", guest.query.get("next") ?? ""));
}
