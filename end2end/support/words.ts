/**
 * Texts of the product in either language: `said(language, "关机", "Shut down")`.
 */
import type { Language } from "../pages";

/** The one that a reader of `language` sees. */
export function said<T>(language: Language, zh: T, en: T): T {
  return language === "zh-CN" ? zh : en;
}
