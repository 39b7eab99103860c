/**
 * What a page must keep at every width, and under the keyboard.
 */
import { expect, type Page } from "@playwright/test";

/** More presses of Tab than lead to any control of ours. */
const MOST_TABS = 120;

/** Fails when the page scrolls sideways in a window of `width`; names what sticks out. */
export async function expectNoSidewaysScroll(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: width < 600 ? 780 : 1080 });
  const wide = await page.evaluate(async () => {
    // Two frames: the first lays out, observers of sizes answer before the second.
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const root = document.documentElement;
    if (root.scrollWidth <= root.clientWidth) return [];
    const scrolls = (element: Element) => /auto|scroll|hidden|clip/.test(getComputedStyle(element).overflowX);
    const isContained = (element: Element): boolean => {
      for (let up = element.parentElement; up !== null && up !== document.body; up = up.parentElement) if (scrolls(up)) return true;
      return false;
    };
    const out = [...document.body.querySelectorAll("*")].filter((element) => element.getBoundingClientRect().right > root.clientWidth + 0.5);
    const named = out.filter((element) => !isContained(element)).map((element) => `${element.localName}.${element.getAttribute("class") ?? ""}`);
    return [`${root.scrollWidth} px wide`, ...named.slice(0, 8)];
  });
  expect.soft(wide, `what is wider than ${width} px`).toEqual([]);
}

/** Fails unless the first Tab shows the skip link and Enter leads to the content. */
export async function expectSkipLink(page: Page): Promise<void> {
  await page.keyboard.press("Tab");
  const skip = page.locator("a.skip");
  await expect.soft(skip, "the first Tab reaches the skip link").toBeFocused();
  await expect.soft(skip, "it can be seen then").toBeInViewport();
  await page.keyboard.press("Enter");
  await expect.soft(page.locator("#main"), "it leads to the content").toBeFocused();
}

/** Fails unless Tab alone reaches one of the elements of `selector`, and one can see that it has the focus. */
export async function expectReachable(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < MOST_TABS; presses++) {
    if (await page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, selector)) return;
    await page.keyboard.press("Tab");
  }
  expect.soft(false, `${MOST_TABS} presses of Tab do not reach ${selector}`).toBe(true);
}
