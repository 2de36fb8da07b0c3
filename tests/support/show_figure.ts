/** A figure in the test's output, where nothing that a test prints is shown: as a step of its own. */
export async function showFigure(test: Deno.TestContext, figure: string): Promise<void> {
  await test.step(figure, () => {});
}
