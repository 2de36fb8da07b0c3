import type { Course } from "./fuzz.ts";

const WARM_UP_SHARE = 0.3;
const GROWTH_MIB_MAX = 48;
const MIB = 1024 * 1024;

interface MemoryWatch {
  look(course: Course): void;
  /** Growth since the warm-up; undefined: the run was too short for a figure. */
  growthMib(): { heap: number; rss: number } | undefined;
}

/** Measures memory after a garbage collection. */
export function watchMemory(): MemoryWatch {
  let warm: { heapUsed: number; rss: number } | undefined;
  return {
    look: ({ share }) => {
      if (!warm && share > WARM_UP_SHARE) warm = settledMemory();
    },
    growthMib: () => {
      const now = settledMemory();
      return warm && {
        heap: Math.round((now.heapUsed - warm.heapUsed) / MIB),
        rss: Math.round((now.rss - warm.rss) / MIB),
      };
    },
  };
}

export function isTooMuch({ heap }: { heap: number }): boolean {
  return heap > GROWTH_MIB_MAX;
}

function settledMemory() {
  const { gc } = globalThis as { gc?: () => void };
  if (!gc) throw new Error("Run it by its task: it needs --v8-flags=--expose-gc");
  gc();
  return Deno.memoryUsage();
}
