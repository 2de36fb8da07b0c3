import { Card, Facts } from "../parts/facts.tsx";
import { Page } from "../parts/page.tsx";
import { OPERATORS, page } from "../routes.ts";
import { BASE } from "../visit.ts";

const HOUR_MS = 3_600_000;

const settingsPage = page({
  path: "/settings",
  roles: OPERATORS,
  nav: { label: "Settings", group: "Gateway" },
  show: (visit) => {
    const { displayMs, monitoringMs, reuseMs } = visit.deps.windows;
    const hours = (ms: number) => `${Math.round(ms / HOUR_MS * 100) / 100} hours`;
    return (
      <Page visit={visit} title="Settings">
        <Card title="Set by the environment">
          <Facts
            rows={[
              ["Reached at", visit.facts.publicUrl],
              ["A deposit address is shown for", hours(displayMs)],
              ["It is surely watched for", hours(monitoringMs)],
              ["It may serve another after", hours(reuseMs)],
            ]}
          />
          <p class="quiet">
            The README tells the variables. Networks, currencies and accounts are set on their
            pages.
          </p>
        </Card>
        <Card title="Where else">
          <div class="actions">
            <a href={`${BASE}/networks`}>Networks</a>
            <a href={`${BASE}/users`}>Users</a>
            <a href={`${BASE}/profile`}>Your profile</a>
          </div>
        </Card>
      </Page>
    );
  },
});

export const SETTINGS_ROUTES = [settingsPage];
