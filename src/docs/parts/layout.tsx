import type { Child, Component } from "../../base/html.ts";
import { ASSET_PATHS } from "../assets/assets.ts";
import { BASE, type DocPage, type Site } from "../site.ts";

interface LayoutProps {
  readonly page: DocPage;
  readonly site: Site;
}

export const Layout: Component<LayoutProps & { content: Child }> = ({ page, site, content }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>
        {page.path === BASE ? "CPG documentation" : `${page.title} · CPG documentation`}
      </title>
      <link rel="icon" href={ASSET_PATHS.icon} type="image/svg+xml" />
      <link rel="stylesheet" href={ASSET_PATHS.style} />
      <script src={ASSET_PATHS.script} defer></script>
      {page.script && <script src={page.script} type="module"></script>}
    </head>
    <body class="docs">
      <a class="skip" href="#main">Skip to content</a>
      <div class="columns">
        <header class="side">
          <div class="side-top">
            <a class="brand" href={BASE}>
              CPG <span>Docs</span>
            </a>
            <button type="button" class="plain menu-button" popovertarget="menu">Menu</button>
          </div>
          <Navigation page={page} site={site} />
        </header>
        <main id="main" tabindex={-1} class={page.isWide ? "wide" : undefined}>
          {content}
          <Neighbours page={page} site={site} />
        </main>
      </div>
    </body>
  </html>
);

const Navigation: Component<LayoutProps> = ({ page, site }) => {
  const groups = Map.groupBy(site.pages, ({ group }) => group);
  return (
    <nav id="menu" popover="auto" aria-label="Documentation">
      {[...groups].map(([group, pages]) => (
        <div class="group">
          <p class="group-name">{group}</p>
          <ul>
            {pages.map(({ path, title, label = title, method }) => (
              <li>
                <a href={path} aria-current={path === page.path ? "page" : undefined}>
                  <span>{label}</span>
                  {method && <span class={`method ${method.toLowerCase()}`}>{method}</span>}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
};

const Neighbours: Component<LayoutProps> = ({ page, site }) => {
  const at = site.pages.indexOf(page);
  const [before, after] = [site.pages[at - 1], site.pages[at + 1]];
  if (at < 0) return null;
  return (
    <nav class="neighbours" aria-label="Neighbouring pages">
      {before && (
        <a href={before.path} rel="prev">
          <span class="quiet small">Previous</span>
          {before.title}
        </a>
      )}
      {after && (
        <a href={after.path} rel="next">
          <span class="quiet small">Next</span>
          {after.title}
        </a>
      )}
    </nav>
  );
};
