/**
 * `test` as all specs use it: a demo a worker, somebody signed in, a language and a theme, and a page that fails its test
 * when anything was logged as an error or a warning.
 */
import { test as base, type BrowserContext, type ConsoleMessage, type Page } from "@playwright/test";

import type { Language, Places, Role, Theme } from "../pages";
import { type Demo, startDemo } from "./demo";
import { findPlaces } from "./places";
import { prefer } from "./preferences";
import { type Sessions, signInAll } from "./session";

export { expect } from "@playwright/test";

interface PerTest {
  /** Who is signed in; nobody when not given. */
  role: Role | undefined;
  /** As the cookie says; as the browser asks when not given. */
  language: Language | undefined;
  theme: Theme;
  /** Console errors and warnings that this test provokes on purpose. */
  expectedErrors: RegExp[];
}

interface PerWorker {
  demo: Demo;
  sessions: Sessions;
  places: Places;
  /** What tests of `shared.ts` use instead of a context of their own. */
  shared: BrowserContext;
}

export const test = base.extend<PerTest, PerWorker>({
  demo: [
    async ({}, use) => {
      const demo = await startDemo(["--still"]);
      await use(demo);
      await demo.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],

  sessions: [async ({ browser, demo }, use) => use(await signInAll(browser, demo)), { scope: "worker", timeout: 60_000 }],

  places: [
    async ({ browser, demo, sessions }, use) => use(await findPlaces(browser, demo, sessions)),
    { scope: "worker", timeout: 120_000 },
  ],

  shared: [
    async ({ browser, demo }, use) => {
      const context = await browser.newContext({ baseURL: demo.url, viewport: { width: 1440, height: 900 }, locale: "zh-CN" });
      await use(context);
      await context.close();
    },
    { scope: "worker" },
  ],

  baseURL: async ({ demo }, use) => use(demo.url),

  role: [undefined, { option: true }],
  language: [undefined, { option: true }],
  theme: ["light", { option: true }],
  expectedErrors: [[], { option: true }],

  storageState: async ({ sessions, role }, use) => use(role === undefined ? undefined : sessions[role]),

  context: async ({ context, demo, language, theme }, use) => {
    await prefer(context, demo.url, { language, theme });
    await use(context);
  },

  page: async ({ page, expectedErrors }, use) => {
    const logged = listen(page);
    await use(page);
    const unexpected = logged.filter((line) => !expectedErrors.some((expected) => expected.test(line)));
    if (unexpected.length > 0) throw new Error(`the page logged:\n${unexpected.join("\n")}`);
  },
});

/** What the page logs as error or warning from now on. */
function listen(page: Page): string[] {
  const logged: string[] = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && logged.push(described(message)));
  page.on("pageerror", (error) => logged.push(`uncaught: ${error.stack ?? error.message}`));
  return logged;
}

function described(message: ConsoleMessage): string {
  const { url, lineNumber } = message.location();
  return `console.${message.type()}: ${message.text()} (${url}:${lineNumber})`;
}
