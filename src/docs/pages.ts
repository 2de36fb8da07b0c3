import { GUIDES } from "./guides.ts";
import { ERRORS_PAGE } from "./pages/errors.tsx";
import { EVENTS_PAGE } from "./pages/events.tsx";
import { EXAMPLES_PAGE } from "./pages/examples.tsx";
import { guidePage } from "./pages/guide.tsx";
import { HOME } from "./pages/home.tsx";
import { operationPage } from "./pages/operation.tsx";
import { SIGN_PAGE } from "./pages/sign.tsx";
import { SIGNING_PAGE } from "./pages/signing.tsx";
import { operationsOf } from "./reference.ts";
import type { DocPage } from "./site.ts";

/** All of them, in the order of the navigation. */
export function allPages(): DocPage[] {
  return [
    HOME,
    SIGNING_PAGE,
    SIGN_PAGE,
    EXAMPLES_PAGE,
    ...GUIDES.map(guidePage),
    ...operationsOf().map(operationPage),
    EVENTS_PAGE,
    ERRORS_PAGE,
  ];
}
