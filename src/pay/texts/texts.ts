import { LANGUAGES } from "../../invoices/rules/languages.ts";
import ar from "./ar.json" with { type: "json" };
import de from "./de.json" with { type: "json" };
import en from "./en.json" with { type: "json" };
import es from "./es.json" with { type: "json" };
import fr from "./fr.json" with { type: "json" };
import hi from "./hi.json" with { type: "json" };
import it from "./it.json" with { type: "json" };
import ja from "./ja.json" with { type: "json" };
import ko from "./ko.json" with { type: "json" };
import pl from "./pl.json" with { type: "json" };
import pt from "./pt.json" with { type: "json" };
import ru from "./ru.json" with { type: "json" };
import tr from "./tr.json" with { type: "json" };
import uk from "./uk.json" with { type: "json" };
import zh from "./zh.json" with { type: "json" };

export type Language = typeof LANGUAGES[number];

/** A language's own name, and what payers read in it. Names in braces are filled in. */
interface LanguageFile {
  readonly name: string;
  readonly texts: Readonly<Record<TextKey, string>>;
}

const FILES: Readonly<Record<Language, LanguageFile>> = {
  ...{ en, de, es, fr, it, pt, pl, tr, ru, uk, zh, ja, ko, ar, hi },
};

export type TextKey = keyof typeof en.texts;
export type Say = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

export function sayIn(language: Language): Say {
  return (key, values = {}) =>
    FILES[language].texts[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** What it is called by those who speak it. */
export function languageName(language: Language): string {
  return FILES[language].name;
}

export function isRightToLeft(language: Language): boolean {
  return language === "ar";
}

function isLanguage(text: string | null): text is Language {
  return LANGUAGES.some((one) => one === text);
}

const RANGE = /^([a-z]{2,3})(?:-[\w-]*)?$/i;
const RANGES_MAX = 20;

/** The payer's choice, then what the browser prefers, then the invoice's, then English. */
export function languageFor(
  { chosen, accepted, invoice }: {
    chosen: string | null;
    accepted: string | null;
    invoice: string | null;
  },
): Language {
  if (isLanguage(chosen)) return chosen;
  const preferred = (accepted ?? "").slice(0, 500).split(",").slice(0, RANGES_MAX)
    .map((range) => {
      const [tag = "", ...settings] = range.trim().split(";");
      const weight = settings.find((one) => one.trim().startsWith("q="))?.trim().slice(2);
      return { tag: RANGE.exec(tag)?.[1]?.toLowerCase() ?? "", weight: Number(weight ?? 1) };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)
    .find(isLanguage);
  if (preferred) return preferred;
  return isLanguage(invoice) ? invoice : "en";
}
