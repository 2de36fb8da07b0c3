import { Buffer } from "node:buffer";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

interface Mail {
  readonly to: readonly string[];
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface MailSink extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly Mail[];
}

/** A real SMTP server that keeps what it takes. `port`: for a restart. */
export async function startMailSink(
  { port = 0, refuses = () => false }: { port?: number; refuses?: (mail: Mail) => boolean } = {},
): Promise<MailSink> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData: (stream, session, done) => {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const mail = { to, ...parsed(Buffer.concat(chunks).toString()) };
        if (refuses(mail)) return done(new Error("Not like this"));
        mails.push(mail);
        done();
      });
    },
  });
  server.listen(port, "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function parsed(raw: string): Pick<Mail, "headers" | "text"> {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw.slice(0, end).replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  const headers = new Map(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  }));
  return { headers, text: plain(raw.slice(end + 4), headers) };
}

function plain(body: string, headers: ReadonlyMap<string, string>): string {
  const encoding = headers.get("content-transfer-encoding");
  if (encoding === "base64") return Buffer.from(body, "base64").toString();
  if (encoding !== "quoted-printable") return body;
  const bytes = body.replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
