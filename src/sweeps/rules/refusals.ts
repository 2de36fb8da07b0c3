export const SWEEPS = {
  sweep_unknown: ({ id }: { id: number }) => `There is no sweep ${id}`,
  sweep_not_waiting: ({ id, state }: { id: number; state: string }) =>
    `Sweep ${id} is ${state}: there is nothing to retry`,
};
