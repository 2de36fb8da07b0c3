const FAILED = String.raw`(\S+): error sending request for .*?client error \(Connect\): `;

const WORDED: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(`${FAILED}tcp connect error: [^()]*\\(os error \\d+\\)`),
    "Nothing answers at $1. Is the node running?",
  ],
  [new RegExp(`${FAILED}dns error: .*`), "$1 can't be found. Is the name right?"],
];

/** A text for people, in which a node that isn't there is said as people say it. */
export function withNodeFaults(text: string): string {
  const parts = text.split("; ").map((part) => ({ part, said: worded(part) }));
  return parts.reduce((whole, { said }, i) => {
    const before = parts[i - 1];
    if (!before) return said;
    return before.said === before.part ? `${whole}; ${said}` : `${whole} ${sentence(said)}`;
  }, "");
}

function worded(part: string): string {
  return WORDED.reduce((said, [pattern, words]) => said.replace(pattern, words), part);
}

/** A host keeps its own letters. */
function sentence(text: string): string {
  return text.replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase());
}
