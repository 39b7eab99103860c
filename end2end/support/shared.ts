/**
 * `test` with one browser context for all tests: its cache keeps the compiled WebAssembly, which is most of what a page's
 * load takes. Cookies are those that the test wants, and its pages are closed behind it.
 */
import { prefer } from "./preferences";
import { test as base } from "./test";

export { expect } from "./test";

export const test = base.extend({
  context: async ({ shared, demo, sessions, role, language, theme }, use) => {
    await shared.clearCookies();
    if (role !== undefined) await shared.addCookies(sessions[role].cookies);
    await prefer(shared, demo.url, { language, theme });
    await use(shared);
    for (const page of shared.pages()) await page.close();
  },
});
