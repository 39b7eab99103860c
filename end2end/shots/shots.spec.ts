/**
 * Pictures of every page, in both languages and themes, narrow and wide: to be looked at.
 */
import path from "node:path";

import { LANGUAGES, PAGES, THEMES, WIDTHS } from "../pages";
import { settled } from "../support/axe";
import { hydrated } from "../support/hydration";
import { expect, test } from "../support/test";

const FOLDER = path.resolve(import.meta.dirname, "../test-results/shots");

for (const language of LANGUAGES) {
  for (const entry of PAGES) {
    test.describe(language, () => {
      test.use({ language, role: entry.role === undefined ? undefined : "admin", expectedErrors: [/./] });

      test(entry.name, async ({ page, places }) => {
        await page.goto(entry.path(places));
        await hydrated(page);
        if (entry.ready !== undefined) await expect(page.locator(entry.ready).first()).toBeVisible({ timeout: 20_000 });
        for (const theme of THEMES) {
          await page.evaluate((theme) => (document.documentElement.dataset.theme = theme), theme);
          for (const width of WIDTHS.filter((width) => width < 1920 || theme === "light")) {
            await page.setViewportSize({ width, height: width < 600 ? 780 : 1080 });
            await settled(page);
            const file = `${entry.name}-${language}-${theme}-${width}.png`;
            await page.screenshot({ path: path.join(FOLDER, file), fullPage: true, animations: "disabled" });
          }
        }
      });
    });
  }
}
