/**
 * Language and theme, as the product remembers them: in cookies that the server reads before it renders.
 */
import type { BrowserContext } from "@playwright/test";

import type { Language, Theme } from "../pages";

export interface Preferences {
  language: Language;
  theme: Theme;
}

/** Sets what is given for all pages of the context at `url`. */
export async function prefer(context: BrowserContext, url: string, { language, theme }: Partial<Preferences>): Promise<void> {
  const cookies = [
    ...(language === undefined ? [] : [{ name: "lang", value: language, url }]),
    ...(theme === undefined ? [] : [{ name: "theme", value: theme, url }]),
  ];
  await context.addCookies(cookies);
}
