import type { Child } from "../base/html.ts";
import type { Role } from "../store/tables/users.ts";
import type { Flash } from "./cookies.ts";
import type { Guest, Visit } from "./visit.ts";

/** HTML, as a component makes it. */
export type Html = Child;

/** Text of elements by their id, sent again whenever it changes. */
export type Figures = Readonly<Record<string, string>>;

/** What a POST leads to: another page. What it shows itself cannot be loaded again. */
export interface Done {
  readonly to: string;
  readonly flash?: Flash;
  /** The session's new token, or null: signed out. */
  readonly token?: string | null;
}

export interface PageRoute<V extends Guest = Visit> {
  readonly kind: "page";
  readonly path: string;
  /** Who may see it; everybody who has signed in, if absent. */
  readonly roles?: readonly Role[];
  /** Where it stands in the navigation. */
  readonly nav?: { readonly label: string; readonly group: string };
  /** Password or code must have been given in the last minutes. */
  readonly isSensitive?: boolean;
  show(visit: V): Html | Promise<Html>;
  /** What changes while the page is open. */
  live?(visit: V): Promise<Figures>;
}

export interface ActRoute<V extends Guest = Visit> {
  readonly kind: "act";
  readonly path: string;
  /** The page whose form this is: it is shown again when something was wrong. */
  readonly on: PageRoute<V>;
  readonly isSensitive?: boolean;
  /** About the user's own sign-in and not the account: there also while that is suspended. */
  readonly isPersonal?: boolean;
  run(visit: V): Promise<Done | Html>;
}

/** Anything that is no HTML: a download, say. */
export interface RawRoute {
  readonly kind: "raw";
  readonly path: string;
  readonly roles?: readonly Role[];
  respond(visit: Visit): Promise<Response>;
}

export type Route = PageRoute | ActRoute | RawRoute;
export type GuestRoute = PageRoute<Guest> | ActRoute<Guest>;

export function page<V extends Guest = Visit>(route: Omit<PageRoute<V>, "kind">): PageRoute<V> {
  return { kind: "page", ...route };
}

/** Whoever may see the page may do what its forms do. */
export function act<V extends Guest = Visit>(route: Omit<ActRoute<V>, "kind">): ActRoute<V> {
  return { kind: "act", ...route };
}

export function done(to: string, text?: string): Done {
  return text === undefined ? { to } : { to, flash: { kind: "done", text } };
}

export const OPERATORS: readonly Role[] = ["operator"];
