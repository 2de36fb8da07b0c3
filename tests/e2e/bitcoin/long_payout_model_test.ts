import { playOnLitecoin } from "../../support/grounds/scenario.ts";
import { playSequences } from "./_payout_model.ts";

const [SEEDS, SEQUENCES] = [2, 60];

for (let seed = 1; seed <= SEEDS; seed++) {
  Deno.test(`payouts in ${SEQUENCES} random sequences of seed ${seed} leave chain and books alike`, () =>
    playOnLitecoin((scene) => playSequences(scene, { seed, sequences: SEQUENCES })));
}
