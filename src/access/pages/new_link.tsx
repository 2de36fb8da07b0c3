import { Card, CopyButton } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";

interface NewLinkProps {
  readonly visit: Visit;
  readonly email: string;
  readonly token: string;
  readonly up: { readonly path: string; readonly label: string };
}

export const NewLink = ({ visit, email, token, up }: NewLinkProps) => {
  const link = linkOf(visit, token);
  return (
    <Page visit={visit} title="One-time link" up={up}>
      <Card>
        <p>
          {email}{" "}
          can choose a password with this link. It works once, for one day, and is shown only now.
          Send it where only they can read it.
        </p>
        <p class="secret">
          <code class="whole" id="link">{link}</code>
        </p>
        <div class="actions">
          <a class="button" href={BASE + up.path}>I have sent it</a>
          <CopyButton text={link} label="Copy link" />
        </div>
      </Card>
    </Page>
  );
};

function linkOf({ facts: { publicUrl }, url }: Visit, token: string): string {
  const origin = publicUrl.startsWith("https:") ? publicUrl : url.origin;
  return `${origin}${BASE}/set-up/${token}`;
}
