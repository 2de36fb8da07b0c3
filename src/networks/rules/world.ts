/**
 * Whose prices count for a coin: those of the real world, or those of the test world, which feeds on
 * test networks set too.
 */
export type World = "real" | "test";
