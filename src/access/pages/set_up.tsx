import { findLink, useLink } from "../manage_links.ts";
import { fieldFault } from "../../dashboard/form.ts";
import { Field, Form, NewPassword, Submit } from "../../dashboard/parts/form.tsx";
import { GuestPage } from "../../dashboard/parts/page.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, type Guest } from "../../dashboard/visit.ts";

const setUpPage = page<Guest>({
  path: "/set-up/:token",
  ability: null,
  show: async (guest) => {
    const link = await findLink(guest.deps, guest.param("token"));
    if (!link) return <Used guest={guest} />;
    return (
      <GuestPage
        guest={guest}
        title={link.user ? "Choose a password" : "Set up the first operator"}
      >
        <Form visit={guest} action={`/set-up/${guest.param("token")}`}>
          {link.user
            ? (
              <p>
                For <strong>{link.user.email}</strong>
              </p>
            )
            : <Email guest={guest} />}
          <NewPassword
            visit={guest}
            name="password"
            label="Password"
            hint="At least 12 characters. Longer is better."
          />
          <NewPassword visit={guest} name="again" label="Repeat password" />
          <Submit>Continue</Submit>
        </Form>
      </GuestPage>
    );
  },
});

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
    const order = { token: guest.param("token"), email: form.text("email"), password, origin };
    const token = await useLink(deps, order);
    return { ...done("/profile", "Welcome. Set up a second factor to protect your login"), token };
  },
});

export const SET_UP_ROUTES = [setUpPage, setUpAct];

const Used = ({ guest }: { guest: Guest }) => (
  <GuestPage guest={guest} title="This link doesn't work">
    <p>It has already been used or has expired. Ask for a new one, or sign in.</p>
    <p>
      <a href={`${BASE}/sign-in`}>Sign in</a>
    </p>
  </GuestPage>
);
