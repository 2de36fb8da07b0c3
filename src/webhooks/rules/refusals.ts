export const WEBHOOKS = {
  webhook_unknown: ({ id }: { id: number }) => `There is no webhook ${id}`,
  webhook_url_wrong: ({ url, why }: { url: string; why: string }) =>
    `Webhooks cannot be sent to ${url}: ${why}`,
  webhooks_too_many: (
    { accountId, webhooks, max }: { accountId: number; webhooks: number; max: number },
  ) => `Account ${accountId} has ${webhooks} webhooks, and may have at most ${max}`,
  event_unknown: ({ eventId }: { eventId: string }) => `There is no event ${eventId}`,
  event_not_taken: ({ accountId, type }: { accountId: number; type: string }) =>
    `No webhook of account ${accountId} receives ${type}`,
};
