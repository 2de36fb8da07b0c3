import { LANGUAGES } from "../../domain/invoices/languages.ts";
import { ar } from "./ar.ts";
import { de } from "./de.ts";
import { en, type Texts } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { hi } from "./hi.ts";
import { it } from "./it.ts";
import { ja } from "./ja.ts";
import { ko } from "./ko.ts";
import { pl } from "./pl.ts";
import { pt } from "./pt.ts";
import { ru } from "./ru.ts";
import { tr } from "./tr.ts";
import { uk } from "./uk.ts";
import { zh } from "./zh.ts";

export type Language = typeof LANGUAGES[number];

/** Every text of the payer's page. */
const TEXTS: Readonly<Record<Language, Texts>> = {
  ...{ en, de, es, fr, it, pt, pl, tr, ru, uk, zh, ja, ko, ar, hi },
};

/** Each language by its own name. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  it: "Italiano",
  pt: "Português",
  pl: "Polski",
  tr: "Türkçe",
  ru: "Русский",
  uk: "Українська",
  zh: "中文",
  ja: "日本語",
  ko: "한국어",
  ar: "العربية",
  hi: "हिन्दी",
};

export type TextKey = keyof Texts;
export type Say = (key: TextKey, values?: Readonly<Record<string, string | number>>) => string;

export function sayIn(language: Language): Say {
  return (key, values = {}) =>
    TEXTS[language][key].replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
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
