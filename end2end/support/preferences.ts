/**
 * Language and theme, as the product remembers them: in cookies that the server reads before it renders.
 */
import type { BrowserContext } from "@playwright/test";

import type { LANGUAGES, THEMES } from "../pages";

export interface Preferences {
  language: (typeof LANGUAGES)[number];
  theme: (typeof THEMES)[number];
}

/** Sets both for all pages of the context at `url`. */
export async function prefer(context: BrowserContext, url: string, { language, theme }: Preferences): Promise<void> {
  await context.addCookies([
    { name: "language", value: language, url },
    { name: "theme", value: theme, url },
  ]);
}
