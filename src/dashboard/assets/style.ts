import { squeezedStyle } from "./squeeze.ts";
import { ELEMENTS } from "./style/base.ts";
import { FORMS } from "./style/forms.ts";
import { HOME } from "./style/home.ts";
import { LEDGER_STYLE } from "./style/ledger.ts";
import { NARROW } from "./style/narrow.ts";
import { PARTS } from "./style/parts.ts";
import { SEARCH_STYLE } from "./style/search.ts";
import { SET_UP } from "./style/set_up.ts";
import { SHELL } from "./style/shell.ts";
import { TABLES } from "./style/tables.ts";
import { TOKENS } from "./style/tokens.ts";

/** One style sheet for all pages: light and dark, narrow, wide and printed. */
export const WRITTEN_STYLE = [
  ...[TOKENS, ELEMENTS, SHELL, PARTS, TABLES, FORMS, LEDGER_STYLE, NARROW],
].join("");

export const STYLE = squeezedStyle(WRITTEN_STYLE);
export const HOME_STYLE = squeezedStyle(HOME);
export const SET_UP_STYLE = squeezedStyle(SET_UP);
export const HITS_STYLE = squeezedStyle(SEARCH_STYLE);
