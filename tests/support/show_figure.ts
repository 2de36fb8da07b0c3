/** Shows a figure as a test step of its own, because printed output is hidden. */
export async function showFigure(test: Deno.TestContext, figure: string): Promise<void> {
  await test.step(figure, () => {});
}
