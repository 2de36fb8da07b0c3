import * as kind from "../../domain/kinds.ts";
import { operation, optional, required } from "../../operations/operation.ts";
import { allowRecipient, failingRecipients } from "../manage_recipients.ts";
import { recipientShape } from "../shapes.ts";

const LIST_RECIPIENTS = operation({
  words: ["recipient", "list"],
  reads: "see_gateway",
  summary: "Lists recipients that are blocked because two payments to them failed within a day",
  flags: {},
  examples: ["recipient list"],
  columns: ["account_id", "network", "currency", "address", "failed_payments", "last_failed_at"],
  run: async (context) => (await failingRecipients(await context.deps())).map(recipientShape),
});

export const ALLOW_RECIPIENT = operation({
  words: ["recipient", "allow"],
  changes: "operate",
  summary: "Allows payments to a recipient again",
  flags: {
    network: required(kind.networkCode, { help: "the network's code", example: "ETH" }),
    address: required(kind.text({ max: 100, word: "ADDRESS" }), {
      help: "the recipient",
      example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    }),
    account: optional(kind.recordId, {
      help: "only for this account; otherwise for every account",
      example: "1",
    }),
  },
  examples: [
    "recipient allow --network ETH --address 0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  ],
  run: async (context, { flags: { network, address, account } }) => {
    const order = { network, address, accountId: account, actor: context.actor };
    return (await allowRecipient(await context.deps(), order)).map(recipientShape);
  },
});

export const RECIPIENT_COMMANDS = [LIST_RECIPIENTS, ALLOW_RECIPIENT];
