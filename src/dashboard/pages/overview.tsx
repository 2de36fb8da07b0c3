import { Page } from "../parts/page.tsx";
import { page } from "../routes.ts";

const overviewPage = page({
  path: "/",
  nav: { label: "Overview", group: "" },
  show: (visit) => <Page visit={visit} title="Overview">Soon</Page>,
});

export const OVERVIEW_ROUTES = [overviewPage];
