/** Text in pieces becomes whole lines. */
export class TextLineStream extends TransformStream<string, string> {
  constructor() {
    let rest = "";
    super({
      transform: (text, controller) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop()!;
        for (const line of lines) controller.enqueue(line);
      },
      flush: (controller) => {
        if (rest !== "") controller.enqueue(rest);
      },
    });
  }
}

/** Runs beside the bench: reads orders as JSON, one a line, and answers each with a line. */
export async function obey<Order>(answer: (order: Order) => Promise<object>): Promise<void> {
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream());
  const encoder = new TextEncoder();
  for await (const line of lines) {
    const report = await answer(JSON.parse(line));
    await Deno.stdout.write(encoder.encode(`${JSON.stringify(report)}\n`));
  }
}
