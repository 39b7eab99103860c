import path from "node:path";

import { LANGUAGES, PAGES, THEMES, WIDTHS } from "../pages";
import { hydrated } from "../support/hydration";
import { prefer } from "../support/preferences";
import { test } from "../support/test";

const FOLDER = path.resolve(import.meta.dirname, "../screenshots");

for (const entry of PAGES) {
  test(`pictures of ${entry.name}`, async ({ page, context, demo }) => {
    for (const language of LANGUAGES) {
      for (const theme of THEMES) {
        await prefer(context, demo.url, { language, theme });
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: width < 600 ? 780 : 1080 });
          await page.goto(entry.path);
          await hydrated(page);
          await page.screenshot({ path: path.join(FOLDER, `${entry.name}-${width}-${theme}-${language}.png`), fullPage: true });
        }
      }
    }
  });
}
