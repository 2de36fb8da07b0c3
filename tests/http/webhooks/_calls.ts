import type { ApiClient, ApiReply } from "../../support/api_client.ts";

type Call = (method: string, target: string, body?: object) => Promise<ApiReply>;

/** Dozens of equal requests in a second: more than seconds to sign them in. */
export function caller(api: ApiClient): Call {
  return (method, target, body) =>
    api.send({
      method,
      target: `${target}?nonce=${crypto.randomUUID()}`,
      ...body === undefined ? {} : { body: JSON.stringify(body) },
    });
}

/** What the answer says about each field. */
export function faultsOf({ status, body }: ApiReply): Record<string, string> {
  if (status !== 422) throw new Error(`${status}: ${JSON.stringify(body)}`);
  const { fields } = body.error as { fields: { field: string; message: string }[] };
  return Object.fromEntries(fields.map(({ field, message }) => [field, message]));
}
