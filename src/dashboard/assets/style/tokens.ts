/** Colours with meanings, spacing and type. Everything else only uses these. */
export const TOKENS = `
:root {
  color-scheme: light dark;
  --back: #f8f9fb; --card: #fff; --text: #1b1f27; --quiet: #596273; --line: #e3e6ec;
  --line-strong: #cfd4dd; --hover: #f1f3f8; --shade: #edeff4;
  --accent: #4740d4; --accent-text: #fff; --accent-soft: #eeeefc;
  --field: #fff; --field-line: #848d9c;
  --good: #13683c; --good-back: #e5f5ec; --good-line: #b5dfc6;
  --bad: #b01c24; --bad-back: #fdecec; --bad-line: #f3c2c3;
  --under-way: #7d4b00; --under-way-back: #fdf2dd; --under-way-line: #f0d69c;
  --plain-back: #eceff4;
  --shadow: 0 1px 2px rgb(20 25 40 / .05); --shadow-high: 0 10px 30px rgb(20 25 40 / .16);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  --gap: 1.25rem; --round: 10px; --top: 3.5rem;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0f1116; --card: #171a21; --text: #e8eaf0; --quiet: #a1a9b8; --line: #282d37;
    --line-strong: #3a414e; --hover: #1e222b; --shade: #242933;
    --accent: #a6a4ff; --accent-text: #12122b; --accent-soft: #23243f;
    --field: #12151b; --field-line: #6b7484;
    --good: #7bd9a2; --good-back: #12301f; --good-line: #245a3a;
    --bad: #ff9d9d; --bad-back: #3a181b; --bad-line: #6b2c31;
    --under-way: #f2c66d; --under-way-back: #33280f; --under-way-line: #5e4a1c;
    --plain-back: #262b35;
    --shadow: none; --shadow-high: 0 10px 30px rgb(0 0 0 / .5);
  }
}
`;
