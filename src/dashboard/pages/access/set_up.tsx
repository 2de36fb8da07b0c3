import { findLink, useLink } from "../../../actions/access/manage_links.ts";
import { FormFault, MARKED } from "../../form.ts";
import { Field, Form, Submit } from "../../parts/form.tsx";
import { GuestPage } from "../../parts/page.tsx";
import { act, done, page } from "../../routes.ts";
import { BASE, type Guest } from "../../visit.ts";

const setUpPage = page<Guest>({
  path: "/set-up/:token",
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
            : (
              <Field
                visit={guest}
                name="email"
                label="Email"
                type="email"
                autocomplete="username"
                isRequired
                isFocused
              />
            )}
          <Field
            visit={guest}
            name="password"
            label="Password"
            type="password"
            autocomplete="new-password"
            hint="At least 12 characters. Longer is better."
            isRequired
          />
          <Field
            visit={guest}
            name="again"
            label="Repeat password"
            type="password"
            autocomplete="new-password"
            isRequired
          />
          <Submit>Continue</Submit>
        </Form>
      </GuestPage>
    );
  },
});

const setUpAct = act<Guest>({
  path: "/set-up/:token",
  on: setUpPage,
  run: async (guest) => {
    const { form, deps, origin } = guest;
    const password = form.text("password");
    if (form.text("again") !== password) {
      const again = "The passwords don't match";
      throw new FormFault(MARKED, new Map([["again", again]]));
    }
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
