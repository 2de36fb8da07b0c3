/** How long a proposal waits for its second person. */
export const PROPOSAL_MS = 7 * 86_400_000;

export type ProposalState = "waiting" | "approved" | "rejected" | "expired";
