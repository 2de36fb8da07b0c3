import { playOnLitecoin } from "../../support/grounds/scenario.ts";
import { playSequences } from "./_payout_model.ts";

const [SEEDS, SEQUENCES] = [4, 100];

/** Another one each time; a failure says which. */
const first = Date.now() % 1_000_000;
for (let seed = first; seed < first + SEEDS; seed++) {
  Deno.test(`payouts in ${SEQUENCES} random sequences of seed ${seed} leave chain and books alike`, () =>
    playOnLitecoin((scene) => playSequences(scene, { seed, sequences: SEQUENCES })));
}
