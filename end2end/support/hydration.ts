/**
 * Whether the browser renders what the server has rendered.
 *
 * leptos keeps the server's version silently where texts or attributes differ, so only a comparison finds it. Both sides are
 * read in one load, so that data which changes between two loads makes no difference: the WebAssembly is held back, the
 * page is read, the WebAssembly is let go, and the page is read again in the moment when it has hydrated, before the first
 * live frame. (Holding back the request instead would turn off the browser's cache, and each page compile 25 MB anew.)
 */
import { expect, type Page, type Response } from "@playwright/test";

/** What can be seen of a page, and the elements by name in their order. */
export interface Rendered {
  text: string;
  elements: string[];
}

interface Held extends Window {
  letGo(): void;
  read(): Rendered;
  asHydrated?: Rendered;
}

/** Waits until the page reacts: `frontend` marks the document when it has hydrated it. */
export async function hydrated(page: Page): Promise<void> {
  await expect(page.locator("html[data-hydrated]")).toBeAttached({ timeout: 20_000 });
}

/** Loads `path` and says what server and browser made of it. */
export async function loadTwice(page: Page, path: string): Promise<{ answer: Response; server: Rendered; browser: Rendered }> {
  await page.addInitScript(hold);
  const answer = await page.goto(path, { waitUntil: "domcontentloaded" });
  const server = await page.evaluate(() => (window as unknown as Held).read());
  await page.evaluate(() => (window as unknown as Held).letGo());
  await hydrated(page);
  const browser = await page.evaluate(() => (window as unknown as Held).asHydrated!);
  return { answer: answer!, server, browser };
}

/** Runs in the page before anything else does. */
function hold(): void {
  const held = window as unknown as Held;
  held.read = () => {
    // What only the browser can measure, such as which rows are seen, is not the server's to say.
    const measured = [...document.querySelectorAll<HTMLElement>("[data-measured]")];
    measured.forEach((element) => (element.hidden = true));
    const text = document.body.innerText;
    measured.forEach((element) => (element.hidden = false));
    return { text, elements: [...document.body.querySelectorAll("*:not(script, template)")].map((element) => element.localName) };
  };
  const released = new Promise<void>((resolve) => (held.letGo = resolve));
  const instantiate = WebAssembly.instantiateStreaming;
  WebAssembly.instantiateStreaming = async (...words) => {
    await released;
    return instantiate(...words);
  };
  const observer = new MutationObserver(() => {
    held.asHydrated ??= held.read();
    observer.disconnect();
  });
  observer.observe(document, { subtree: true, attributeFilter: ["data-hydrated"] });
}
