import { pagePaths, type PageSamples } from "../../support/dashboard/page_paths.ts";
import type { Case } from "./cases.ts";

const PAGE_REQUESTS = 15;
/** The parameters of the pages' paths. */
const NAMES: PageSamples = {
  endpointId: 1,
  address: "0x(an address)",
  withdrawalId: 1,
  depositId: 1,
  addressId: 1,
  sweepId: 1,
  invoiceId: 1,
  txHash: "0x(a transaction)",
  eventId: 1,
  user: "(a customer)",
  cursor: 1_500,
  actor: "(somebody)",
};

export const PAGE_CASES: readonly Case[] = (["operator", "merchant"] as const).flatMap((role) =>
  pagePaths(role).map((pathOf): Case => ({
    name: `${role} ${pathOf(NAMES)}`,
    requests: PAGE_REQUESTS,
    order: ({ tokens, samples }) => {
      const path = pathOf(samples);
      const target = `/dashboard${path === "/" ? "" : path}`;
      return { method: "GET", target, cookie: `cpg=${tokens[role]}` };
    },
  }))
);
