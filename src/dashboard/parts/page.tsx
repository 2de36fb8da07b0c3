import { isTestAccount } from "../../networks/worlds.ts";
import type { Child, Component } from "../../base/html.ts";
import { ASSET_PATHS, type Extra, EXTRAS } from "../assets/assets.ts";
import { LIVE_PATH } from "../live.ts";
import { BASE, type Guest, type Visit } from "../visit.ts";
import { Logo } from "./frame/icons.tsx";
import { hasTabs, Sections, tabOf, Tabs, TopBar } from "./frame/shell.tsx";
import { StandingBanners } from "./frame/standing.tsx";

const Head: Component<{ title: string; extra?: Extra | undefined }> = ({ title, extra }) => (
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="robots" content="noindex" />
    <title>{`${title} · CPG`}</title>
    <link rel="icon" href={ASSET_PATHS.icon} />
    <link rel="stylesheet" href={ASSET_PATHS.style} />
    <script src={ASSET_PATHS.script} defer></script>
    {extra && EXTRAS[extra].map(({ type, path }) =>
      type === "text/css"
        ? <link rel="stylesheet" href={path} />
        : <script src={path} defer></script>
    )}
  </head>
);

interface TitleProps {
  readonly title: string;
  /** Beside the title, such as links to forms. */
  readonly actions?: Child;
  /** The parent page. */
  readonly up?: { readonly path: string; readonly label: string } | undefined;
}

/** Its tab says what the page is, unless its title says more. Home begins with what matters. */
const Title: Component<TitleProps & { readonly visit: Visit }> = (
  { visit, title, up, actions },
) => {
  const isSaid = tabOf(visit) === title;
  if (title === "Home") return <h1 class="hidden">{title}</h1>;
  return (
    <div class={isSaid ? "title tabbed" : "title"}>
      <div class={isSaid ? "hidden" : undefined}>
        {up && <a class="up" href={BASE + up.path}>← {up.label}</a>}
        <h1>{title}</h1>
      </div>
      {isSaid && <Tabs visit={visit} />}
      {actions && <div class="actions">{actions}</div>}
    </div>
  );
};

interface PageProps extends TitleProps {
  readonly visit: Visit;
  /** The route's `live` keeps elements with matching ids up to date. */
  readonly isLive?: boolean;
  /** The `reload` value when the page was rendered, so that a change before the first update counts. */
  readonly reload?: string;
  /** The newest row of a list that is shown. */
  readonly since?: number;
  /** Styles and scripts that other pages do without. */
  readonly extra?: Extra;
  readonly children?: Child;
}

/** A page for signed-in users. */
export const Page: Component<PageProps> = (
  { visit, title, actions, up, isLive, reload, since, extra, children },
) => (
  <html lang="en">
    <Head title={title} extra={extra} />
    <body class="app">
      <a class="skip" href="#main">Skip to content</a>
      <TopBar visit={visit} />
      <Sections visit={visit} />
      <main
        id="main"
        tabindex={-1}
        data-live={isLive ? liveUrl(visit, since) : undefined}
        data-reload={reload}
      >
        <Title visit={visit} title={title} up={up} actions={actions} />
        {hasTabs(visit) && tabOf(visit) !== title && <Tabs visit={visit} />}
        <PrintedTest visit={visit} />
        <StandingBanners visit={visit} />
        <Messages visit={visit} />
        {children}
      </main>
    </body>
  </html>
);

/** On paper, without the top bar. */
const PrintedTest: Component<{ visit: Visit }> = async ({ visit }) => {
  const accountId = visit.accountWanted();
  const isTest = accountId !== null && await isTestAccount(visit.deps, accountId);
  return isTest && <p class="printed">Test: these coins are worth nothing.</p>;
};

/** A page for visitors. */
export const GuestPage: Component<{ guest: Guest; title: string; children?: Child }> = (
  { guest, title, children },
) => (
  <html lang="en">
    <Head title={title} />
    <body class="guest">
      <main class="card narrow">
        <p class="brand">
          <Logo />CPG
        </p>
        <h1>{title}</h1>
        <Messages visit={guest} />
        {children}
      </main>
    </body>
  </html>
);

const SET_UP_STEPS = ["Your login", "First network", "Merchant and coins", "Recovery phrase"];

interface SetUpPageProps {
  readonly guest: Guest;
  /** From 1; one more than there are: all is done. */
  readonly step: number;
  readonly title: string;
  readonly children?: Child;
}

/** A step of setting up a new installation. */
export const SetUpPage: Component<SetUpPageProps> = ({ guest, step, title, children }) => (
  <html lang="en">
    <Head title={title} extra="setUp" />
    <body class="set-up">
      <header>
        <p class="brand">
          <Logo />CPG
        </p>
      </header>
      <main id="main">
        <ol class="set-up-steps" aria-label="Steps">
          {SET_UP_STEPS.map((name, i) => (
            <li
              class={i + 1 < step ? "past" : undefined}
              aria-current={i + 1 === step ? "step" : undefined}
            >
              <span>{i + 1 < step ? "✓" : i + 1}</span> <span class="step-name">{name}</span>
            </li>
          ))}
        </ol>
        <div class="card">
          <h1>{title}</h1>
          <Messages visit={guest} />
          {children}
        </div>
        {step > 1 && step <= SET_UP_STEPS.length && (
          <p class="quiet small">
            You can leave now and go on later: <a href={BASE}>Home</a> leads back here.
          </p>
        )}
      </main>
    </body>
  </html>
);

export const ProblemPage: Component<{ title: string; text: string; requestId: string }> = (
  { title, text, requestId },
) => (
  <html lang="en">
    <Head title={title} />
    <body class="guest">
      <main class="card narrow">
        <p class="brand">
          <Logo />CPG
        </p>
        <h1>{title}</h1>
        <p>{text}</p>
        <p>
          <a href={BASE}>Back to Home</a>
        </p>
        <p class="quiet small">
          Request <code>{requestId}</code>
        </p>
      </main>
    </body>
  </html>
);

const Messages: Component<{ visit: Guest }> = ({ visit }) => {
  const { flash } = visit.facts;
  return (
    <>
      {visit.fault && <p class="message fault" role="alert">{visit.fault.message}</p>}
      {flash && !visit.fault && <p class={`message ${flash.kind}`} role="status">{flash.text}</p>}
    </>
  );
};

function liveUrl({ url }: Visit, since: number | undefined): string {
  const query = new URLSearchParams(url.search);
  if (since !== undefined) query.set("since", String(since));
  const text = query.toString();
  return `${url.pathname.replace(/\/$/, "")}${LIVE_PATH}${text === "" ? "" : `?${text}`}`;
}
