import { playOnLitecoin } from "../../support/grounds/scenario.ts";
import { playSequences } from "./_payout_model.ts";

Deno.test("random payouts, bids, revocations, reorganisations and restarts leave chain and books alike", () =>
  playOnLitecoin((scene) => playSequences(scene, { seed: 1, sequences: 40 })));
