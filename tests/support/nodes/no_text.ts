/** Throws wherever it is made a text. JSON can hold it. */
export const NO_TEXT = { toString: 1, valueOf: 1 };
