/**
 * Whether the browser renders what the server has rendered.
 *
 * leptos keeps the server's version silently where texts or attributes differ, so only a comparison finds it. Both sides are
 * read in one load, so that data which changes between two loads makes no difference: the WebAssembly is held back, the
 * text is read, the WebAssembly is let go, the text is read again.
 */
import { expect, type Page } from "@playwright/test";

/** Waits until the page reacts: `frontend` marks the document when it has hydrated it. */
export async function hydrated(page: Page): Promise<void> {
  await expect(page.locator("html[data-hydrated]")).toBeAttached({ timeout: 20_000 });
}

/** Loads `path` and fails when hydration changes a word or the structure. */
export async function expectSameAfterHydration(page: Page, path: string): Promise<void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/*.wasm", async (route) => {
    await released;
    await route.continue();
  });
  await page.goto(path, { waitUntil: "domcontentloaded" });
  const before = await rendered(page);
  release();
  await hydrated(page);
  await page.unrouteAll({ behavior: "wait" });
  expect(await rendered(page)).toEqual(before);
}

/** The visible text, and the elements by name in their order. */
async function rendered(page: Page): Promise<{ text: string; elements: string[] }> {
  return page.evaluate(() => {
    const elements = [...document.body.querySelectorAll("*:not(script, template)")].map((element) => element.localName);
    return { text: document.body.innerText, elements };
  });
}
