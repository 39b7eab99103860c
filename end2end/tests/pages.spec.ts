/**
 * What holds of every page for everybody who sees it: the browser renders what the server did, it has a name, nothing is
 * logged, axe finds nothing in either theme, it does not scroll sideways, and the keyboard gets about.
 */
import { type Language, PAGES, type PageEntry, type Role, ROLES, sees, WIDTHS } from "../pages";
import { expectAccessibleInBothThemes } from "../support/axe";
import { loadTwice } from "../support/hydration";
import { expectNoSidewaysScroll, expectReachable, expectSkipLink } from "../support/layout";
import { expect, test } from "../support/shared";

/** Who looks, in which language, and whether at everything: the least who sees a page, those between, an administrator. */
function audiences(entry: PageEntry): { role: Role | undefined; language: Language; isThorough: boolean }[] {
  if (entry.role === undefined) return (["zh-CN", "en"] as const).map((language) => ({ role: undefined, language, isThorough: true }));
  const between = ROLES.filter((role) => sees(role, entry.role) && role !== entry.role && role !== "admin");
  return [
    { role: entry.role, language: "zh-CN", isThorough: true },
    ...between.map((role) => ({ role, language: "zh-CN" as const, isThorough: false })),
    { role: "admin", language: "en", isThorough: true },
  ];
}

for (const entry of PAGES) {
  for (const { role, language, isThorough } of audiences(entry)) {
    test.describe(`${entry.name} for ${role ?? "nobody"} in ${language}`, () => {
      // The browser itself says that an answer was 404.
      test.use({ role, language, expectedErrors: (entry.status ?? 200) >= 400 ? [/Failed to load resource/] : [] });

      test("is sound", async ({ page, places }) => {
        // axe takes its time over tables of a thousand cells, twice.
        test.setTimeout(180_000);
        const { answer, server, browser } = await loadTwice(page, entry.path(places));
        expect.soft(answer.status()).toBe(entry.status ?? 200);
        expect.soft(browser, "what the browser renders is what the server did").toEqual(server);
        await expect.soft(page).toHaveTitle(/^.+ · harvester-admin$/);
        await expect.soft(page.locator("h1")).toHaveCount(1);
        await expect.soft(page.locator("h1")).not.toBeEmpty();
        await expect.soft(page.locator("html")).toHaveAttribute("lang", language);
        if (entry.ready !== undefined) await expect(page.locator(entry.ready).first()).toBeVisible({ timeout: 20_000 });
        if (!isThorough) return;
        if (!entry.isBare && !entry.beginsInField) await expectSkipLink(page);
        if (entry.primary !== undefined) await expectReachable(page, entry.primary);
        await expectAccessibleInBothThemes(page);
        for (const width of WIDTHS) await expectNoSidewaysScroll(page, width);
      });
    });
  }
}
