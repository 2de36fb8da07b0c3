interface Move {
  readonly to: string;
  readonly ledger?: string;
  readonly event?: string;
}

/** A step with only another state may be written as that state's name. */
type Moves = Readonly<Record<string, Readonly<Record<string, Move | string>>>>;

/** A state table as a Mermaid diagram: one line a step, with what goes with it. */
export function stateDiagram(moves: Moves, start: string): string {
  const lines = ["```mermaid", "stateDiagram-v2", `  [*] --> ${start}`];
  for (const [from, triggers] of Object.entries(moves)) {
    for (const [trigger, move] of Object.entries(triggers)) {
      const { to, ledger, event }: Move = typeof move === "string" ? { to: move } : move;
      const effects = [ledger && `ledger ${ledger}`, event].filter(Boolean);
      const also = effects.length === 0 ? "" : ` (${effects.join(", ")})`;
      lines.push(`  ${from} --> ${to}: ${trigger}${also}`);
    }
    if (Object.keys(triggers).length === 0) lines.push(`  ${from} --> [*]`);
  }
  return [...lines, "```"].join("\n");
}
