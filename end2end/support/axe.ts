/**
 * The rules of WCAG 2.2 AA that a machine can check.
 */
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Fails with one line a violation: rule, what it means, where. `within` narrows it to a part of the page. */
export async function expectAccessible(page: Page, within?: string): Promise<void> {
  const builder = new AxeBuilder({ page }).withTags(RULES);
  const { violations } = await (within === undefined ? builder : builder.include(within)).analyze();
  const lines = violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.target.join(" ")}`));
  expect(lines).toEqual([]);
}
