/**
 * `test` as all specs use it: a demo a worker, and a page that fails its test when anything was logged as an error.
 */
import { test as base, type ConsoleMessage } from "@playwright/test";

import { type Demo, startDemo } from "./demo";

export { expect } from "@playwright/test";

interface PerTest {
  /** Console errors that this test provokes on purpose. */
  expectedErrors: RegExp[];
}

interface PerWorker {
  demo: Demo;
}

export const test = base.extend<PerTest, PerWorker>({
  demo: [
    async ({}, use) => {
      const demo = await startDemo();
      await use(demo);
      await demo.stop();
    },
    { scope: "worker", timeout: 90_000 },
  ],

  baseURL: async ({ demo }, use) => use(demo.url),

  expectedErrors: [[], { option: true }],

  page: async ({ page, expectedErrors }, use) => {
    const errors: string[] = [];
    page.on("console", (message) => message.type() === "error" && errors.push(described(message)));
    page.on("pageerror", (error) => errors.push(`uncaught: ${error.stack ?? error.message}`));
    await use(page);
    const unexpected = errors.filter((error) => !expectedErrors.some((expected) => expected.test(error)));
    if (unexpected.length > 0) throw new Error(`the page logged errors:\n${unexpected.join("\n")}`);
  },
});

function described(message: ConsoleMessage): string {
  const { url, lineNumber } = message.location();
  return `console.error: ${message.text()} (${url}:${lineNumber})`;
}
