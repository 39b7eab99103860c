/**
 * The rules of WCAG 2.2 AA that a machine can check.
 */
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

import type { Theme } from "../pages";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** One line a violation: rule, what it means, where. `within` narrows it to a part of the page. */
export async function violations(page: Page, within?: string): Promise<string[]> {
  const builder = new AxeBuilder({ page }).withTags(RULES);
  const { violations } = await (within === undefined ? builder : builder.include(within)).analyze();
  return violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.target.join(" ")}`));
}

/** Fails when there is one. */
export async function expectAccessible(page: Page, within?: string): Promise<void> {
  expect(await violations(page, within)).toEqual([]);
}

/** Likewise in both themes, without loading the page again: `data-theme` is what the theme button sets. */
export async function expectAccessibleInBothThemes(page: Page, within?: string): Promise<void> {
  for (const theme of ["light", "dark"] satisfies Theme[]) {
    await page.evaluate((theme) => (document.documentElement.dataset.theme = theme), theme);
    // What a sticky head lies over is no smaller for that: it is looked at from the top.
    await page.evaluate(() => window.scrollTo(0, 0));
    await settled(page);
    expect.soft(await violations(page, within), `axe in the ${theme} theme`).toEqual([]);
  }
}

/** No transition of ours takes longer. */
const PATIENCE_MS = 5_000;

/**
 * Waits until no transition runs: half-faded colours have no contrast. Endless ones, such as that of a ring, go on. What runs is asked
 * again and again: `finished` of a transition whose element has been replaced meanwhile may never be told.
 */
export async function settled(page: Page): Promise<void> {
  const left = await page.evaluate(async (patience) => {
    const moving = () => document.getAnimations().filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity);
    const deadline = performance.now() + patience;
    while (moving().length > 0 && performance.now() < deadline) await new Promise(requestAnimationFrame);
    return moving().map((animation) => `${animation.constructor.name} of ${(animation.effect as KeyframeEffect).target?.outerHTML.slice(0, 120)}`);
  }, PATIENCE_MS);
  expect.soft(left, "what still moves").toEqual([]);
}
