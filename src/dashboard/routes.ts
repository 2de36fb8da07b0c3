import type { Child } from "../base/html.ts";
import type { Place } from "../base/waiting/shares.ts";
import type { Operation } from "../operations/operation.ts";
import { type Ability, isAble, type Role } from "../access/rules/roles.ts";
import type { Flash } from "./cookies.ts";
import type { Section } from "./sections.ts";
import type { Guest, Visit } from "./visit.ts";

export type Html = Child;

/** Texts of elements by id, sent again whenever they change. */
export type Figures = Readonly<Record<string, string>>;

/** A POST leads to another page, because reloading its own answer would send it again. */
export interface Done {
  readonly to: string;
  readonly flash?: Flash;
  /** The session's new token, or null: signed out. */
  readonly token?: string | null;
}

interface Access<V extends Guest> {
  /** Whose role doesn't have it doesn't reach the route. Null: for whoever isn't signed in. */
  readonly ability: V extends Visit ? Ability : null;
  /** It is left to users who must set up a second factor first. */
  readonly isBeforeFactor?: boolean;
}

export interface PageRoute<V extends Guest = Visit> extends Access<V> {
  readonly kind: "page";
  readonly path: string;
  /** Its place in the navigation; a section begins with the first of its pages. */
  readonly nav?: {
    readonly label: string;
    readonly group: Section;
    /** If roles of the whole installation find it elsewhere. */
    readonly gatewayGroup?: Section;
  };
  /** Requires a password or code within the last minutes. */
  readonly isSensitive?: boolean;
  show(visit: V): Html | Done | Promise<Html | Done>;
  /** What changes while the page is open. */
  live?(visit: V): Promise<Figures>;
  /** That depends on the user, and not only on the role and the account. */
  readonly isLiveForUser?: boolean;
}

export interface ActRoute<V extends Guest = Visit> extends Access<V> {
  readonly kind: "act";
  readonly path: string;
  /** The form's page, shown again if something was wrong. */
  readonly on: PageRoute<V>;
  /** What it asks for, whose examples are a way to fill it in. */
  readonly operation?: Pick<Operation, "flags">;
  readonly isSensitive?: boolean;
  /**
   * About the user's own sign-in rather than the account, so it works even while the account is
   * suspended.
   */
  readonly isPersonal?: boolean;
  /**
   * It pays, ends, decides or takes back something, which goes on when an account has stored its
   * share of the day. Payouts have a share of their own.
   */
  readonly isUrgent?: boolean;
  run(visit: V): Promise<Done | Html>;
}

/** Anything that isn't HTML, such as a download. */
export interface RawRoute extends Access<Visit> {
  readonly kind: "raw";
  readonly path: string;
  respond(visit: Visit): Promise<Response | CsvFile>;
}

/** Written while it is read, which may take as long as whoever reads it likes. */
export interface CsvFile {
  readonly name: string;
  lines(place: Pick<Place, "turn">): AsyncGenerator<Uint8Array>;
}

export type Route = PageRoute | ActRoute | RawRoute;
export type GuestRoute = PageRoute<Guest> | ActRoute<Guest>;

export function page<V extends Guest = Visit>(route: Omit<PageRoute<V>, "kind">): PageRoute<V> {
  return { kind: "page", ...route };
}

export function act<V extends Guest = Visit>(route: Omit<ActRoute<V>, "kind">): ActRoute<V> {
  return { kind: "act", ...route };
}

export function mayUse(role: Role, { ability }: Pick<Route, "ability">): boolean {
  return isAble(role, ability);
}

export function done(to: string, text?: string): Done {
  return text === undefined ? { to } : { to, flash: { kind: "done", text } };
}
