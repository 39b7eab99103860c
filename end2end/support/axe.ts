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

/** Waits until no transition runs: half-faded colours have no contrast. Endless ones, such as that of a ring, go on. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ends = (animation: Animation) => animation.effect?.getComputedTiming().endTime !== Infinity;
    const running = document.getAnimations().filter(ends);
    await Promise.allSettled(running.map((animation) => animation.finished));
  });
}
