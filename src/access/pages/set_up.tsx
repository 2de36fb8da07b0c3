import type { Child, Component } from "../../base/html.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { isSetUpOff } from "../../dashboard/environment.ts";
import { type OpenLink, tryLink, useLink } from "../manage_links.ts";
import { findSession } from "../manage_sessions.ts";
import type { UserRow } from "../tables/users.ts";
import { fieldFault } from "../../dashboard/form.ts";
import { Field, Form, NewPassword, Submit } from "../../dashboard/parts/form.tsx";
import { GuestPage, SetUpPage } from "../../dashboard/parts/page.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, type Guest } from "../../dashboard/visit.ts";

/** Of a new installation, once somebody may do anything. */
const FIRST_STEPS = "/begin";

async function linkOf(guest: Guest): Promise<OpenLink | undefined> {
  const { deps, facts, origin: { ip } } = guest;
  const link = await tryLink(deps, { token: guest.param("token"), ip });
  return link?.user === null && isSetUpOff(facts) ? undefined : link;
}

const setUpPage = page<Guest>({
  path: "/set-up/:token",
  ability: null,
  show: async (guest) => {
    const link = await linkOf(guest);
    if (!link) return <Used guest={guest} />;
    if (link.user) {
      return (
        <GuestPage guest={guest} title="Choose a password">
          <PasswordForm guest={guest}>
            <p>
              For <strong>{link.user.email}</strong>
            </p>
          </PasswordForm>
        </GuestPage>
      );
    }
    return (
      <SetUpPage guest={guest} step={1} title="Your login">
        <p>
          You are the owner: this login may do everything. Nothing works before it exists, and this
          link works only once.
        </p>
        <PasswordForm guest={guest}>
          <Email guest={guest} />
        </PasswordForm>
      </SetUpPage>
    );
  },
});

const PasswordForm = ({ guest, children }: { guest: Guest; children?: Child }) => (
  <Form visit={guest} action={`/set-up/${guest.param("token")}`}>
    {children}
    <NewPassword
      visit={guest}
      name="password"
      label="Password"
      hint="At least 12 characters. Longer is better."
    />
    <NewPassword visit={guest} name="again" label="Repeat password" />
    <Submit>Continue</Submit>
  </Form>
);

const Email = ({ guest }: { guest: Guest }) => (
  <Field
    visit={guest}
    name="email"
    label="Email"
    type="email"
    autocomplete="username"
    isRequired
    isFocused
  />
);

const setUpAct = act<Guest>({
  path: "/set-up/:token",
  ability: null,
  on: setUpPage,
  run: async (guest) => {
    const { form, deps, origin } = guest;
    const password = form.text("password");
    if (form.text("again") !== password) throw fieldFault("again", "The passwords don't match");
    const link = await linkOf(guest);
    if (!link) throw refuse("link_unusable");
    const order = { token: guest.param("token"), email: form.text("email"), password, origin };
    const token = await useLink(deps, order);
    const { networks } = await deps.catalog.current();
    if (link.user === null && networks.length === 0) return { ...done(FIRST_STEPS), token };
    return { ...done("/profile", "Welcome. Set up a second factor to protect your login"), token };
  },
});

export const SET_UP_ROUTES = [setUpPage, setUpAct];

const Used: Component<{ guest: Guest }> = async ({ guest }) => {
  const live = await findSession(guest.deps, guest.facts.token);
  if (live?.session.stage === "open") return <SignedIn guest={guest} user={live.user} />;
  return (
    <GuestPage guest={guest} title="This link doesn't work">
      <p>It has already been used or has expired. Ask for a new one, or sign in.</p>
      <p>
        If it was to set up a new installation and it wasn't you who used it, somebody else is its
        owner now: begin again with a new database.
      </p>
      <p>
        <a href={`${BASE}/sign-in`}>Sign in</a>
      </p>
    </GuestPage>
  );
};

/** Most likely it was this person who used it. */
const SignedIn = ({ guest, user: { email } }: { guest: Guest; user: UserRow }) => (
  <GuestPage guest={guest} title="You are signed in">
    <p>
      As{" "}
      <strong>{email}</strong>. This link has been used or has expired, and you don't need it any
      more.
    </p>
    <p>
      <a class="button" href={BASE}>Go on</a>
    </p>
  </GuestPage>
);
