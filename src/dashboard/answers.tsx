import type { ContentfulStatusCode } from "hono/utils/http-status";
import { throwIfFull } from "../books/quota.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { htmlOf } from "../base/html.ts";
import type { Place } from "../base/waiting/shares.ts";
import { TooBusy } from "../base/waiting/turns.ts";
import { OperatorError, Refused, TooManyTries } from "../domain/refusal.ts";
import { Unavailable } from "../store/connection/faults.ts";
import { FormIncomplete } from "./form.ts";
import { ProblemPage } from "./parts/page.tsx";
import { filled } from "./paths.ts";
import { type C, Forged, type HandleOptions } from "./request.ts";
import type { ActRoute, Done, Html } from "./routes.ts";
import { BASE, type Guest, NotFound } from "./visit.ts";
import { errorForUser } from "./words/refusals.ts";

/** The same as the API's. */
const RETRY_AFTER_S = 2;

export async function runAct<V extends Guest>(
  options: HandleOptions,
  { c, route, visit, inTurn }: {
    c: C;
    route: ActRoute<V>;
    visit: V;
    /** Shows its page again. */
    inTurn: Place["turn"];
  },
): Promise<Response> {
  try {
    const { suspended, stored } = visit.facts.standing;
    if (suspended && !route.isPersonal) throw new Refused("account_suspended");
    if (stored && !route.isPersonal && !route.isUrgent) throwIfFull(stored, visit.nowMs);
    return await answer(options, { c, made: await route.run(visit) });
  } catch (error) {
    const shown = error instanceof TooBusy ? new OperatorError(error.message) : errorForUser(error);
    if (!shown) throw error;
    visit.refuse(shown, filled(route.on.path, visit.facts.params));
    const isThrottled = shown instanceof TooManyTries;
    if (isThrottled) c.header("retry-after", String(shown.retryAfterS));
    const status = isThrottled ? 429 : 422;
    return await inTurn(async () =>
      await answer(options, { c, made: await route.on.show(visit), status })
    );
  }
}

export async function answer(
  { cookies }: HandleOptions,
  { c, made, status = 200 }: { c: C; made: Html | Done; status?: ContentfulStatusCode },
): Promise<Response> {
  if (isDone(made)) {
    if (made.flash) cookies.setFlash(c, made.flash);
    if (made.token === null) cookies.dropToken(c);
    else if (made.token !== undefined) cookies.setToken(c, made.token);
    return c.redirect(BASE + (made.to === "/" ? "" : made.to), 303);
  }
  return c.html(`<!doctype html>${await htmlOf(made)}`, status);
}

function isDone(made: Html | Done): made is Done {
  return typeof made === "object" && made !== null && "to" in made;
}

export async function answerFault(
  options: HandleOptions,
  { error, c }: { error: Error; c: C },
): Promise<Response> {
  const { status, ...shown } = problemOf(error);
  const requestId = c.get("requestId");
  if (status === 500) {
    options.deps.log.error("dashboard request failed", { request_id: requestId, error });
  }
  const made = <ProblemPage {...shown} requestId={requestId} />;
  if (status === 503) c.header("retry-after", String(RETRY_AFTER_S));
  if (error instanceof TooManyTries) c.header("retry-after", String(error.retryAfterS));
  return await answer(options, { c, made, status });
}

interface Problem {
  readonly status: ContentfulStatusCode;
  readonly title: string;
  readonly text: string;
}

function problemOf(error: Error): Problem {
  if (error instanceof NotFound || (error instanceof Refused && error.code === "not_found")) {
    return { status: 404, title: "Not found", text: "No such page, or you can't access it." };
  }
  if (error instanceof Refused && error.code === "body_too_slow") {
    const text = "The form took too long to arrive. Check the connection and try again.";
    return { status: 408, title: "Too slow", text };
  }
  if (error instanceof Forged) {
    const text = "This form belongs to another session. Reload the page and try again.";
    return { status: 403, title: "Please try again", text };
  }
  if (error instanceof FormIncomplete) {
    return { status: 400, title: "Please try again", text: "The form arrived incomplete." };
  }
  if (error instanceof TooManyTries) {
    return { status: 429, title: "Not now", text: error.message };
  }
  // The form's page can't be shown again, for the same reason.
  const shown = errorForUser(error);
  if (shown) return { status: 422, title: "That didn't work", text: shown.message };
  if ([Unavailable, TooBusy, TamperedRow].some((kind) => error instanceof kind)) {
    return { status: 503, title: "Busy", text: "Not available right now. Try again soon." };
  }
  return { status: 500, title: "Something went wrong", text: "It was logged under this request." };
}
