/** Seeds that once found a mistake, of the program or of the simulation. CI runs them each time. */
export const FAILED_ONCE: readonly number[] = [32];
