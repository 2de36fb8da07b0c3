/** In which payers can read their page. */
export const LANGUAGES = [
  "en",
  "de",
  "es",
  "fr",
  "it",
  "pt",
  "pl",
  "tr",
  "ru",
  "uk",
  "zh",
  "ja",
  "ko",
  "ar",
  "hi",
] as const;
