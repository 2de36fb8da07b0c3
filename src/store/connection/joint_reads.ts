import { TurnBatches } from "../../base/waiting/batches.ts";
import type { Answer, Connection, Mode, Statement } from "./connection.ts";
import { writeFaultOf } from "./faults.ts";

/** All on one stream, one after the other: more would make a page wait for what it could read beside. */
const JOINT_MAX = 8;

/** What is read in one turn of the event loop goes to a server as one request. */
export class JointReads implements Connection {
  readonly #turns = new TurnBatches(JOINT_MAX);

  constructor(readonly connection: Connection) {}

  batch(statements: readonly Statement[], mode: Mode): Promise<readonly Answer[]> {
    if (mode === "write") return this.connection.batch(statements, mode);
    return this.#turns.run("read", { job: statements, work: this.#together });
  }

  readonly #together = async (
    reads: readonly (readonly Statement[])[],
  ): Promise<PromiseSettledResult<readonly Answer[]>[]> => {
    if (reads.length === 1) return await this.#alone(reads);
    try {
      const answers = await this.connection.batch(reads.flat(), "read");
      let at = 0;
      return reads.map(({ length }) => ({
        status: "fulfilled",
        value: answers.slice(at, at += length),
      }));
    } catch (error) {
      if (writeFaultOf(error)) throw error;
      // The one at fault took the others with it.
      return await this.#alone(reads);
    }
  };

  #alone(reads: readonly (readonly Statement[])[]) {
    return Promise.allSettled(reads.map((read) => this.connection.batch(read, "read")));
  }
}
