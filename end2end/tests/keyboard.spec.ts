/**
 * Everything without a pointer: the grid of the VM list, menus, dialogs, the reasons of what is refused, drawers, help.
 */
import type { Locator, Page } from "@playwright/test";

import { LANGUAGES } from "../pages";
import { expectAccessible } from "../support/axe";
import { hydrated } from "../support/hydration";
import { expectSkipLink } from "../support/layout";
import { expect, test } from "../support/shared";
import { said } from "../support/words";

test.describe("the list of VMs", () => {
  test.use({ role: "operator", language: "zh-CN" });

  test("is one stop for Tab; arrows, pages and ends move in it", async ({ page }) => {
    const grid = await openList(page);
    const total = Number(await grid.getAttribute("aria-rowcount")) - 1;
    expect(total).toBeGreaterThan(100);
    await grid.focus();
    await press(page, "Home", 1);
    await press(page, "ArrowDown", 1);
    await expectCurrent(page, 1);
    await press(page, "ArrowUp", 3);
    await expectCurrent(page, 0);
    await press(page, "j", 2);
    await press(page, "k", 1);
    await expectCurrent(page, 1);
    await test.step("a page further is a screen further, and seen whole", async () => {
      await press(page, "PageDown", 1);
      const at = await current(page);
      expect(at, "most of a screen").toBeGreaterThan(10);
      await expectCurrent(page, at);
      await press(page, "PageUp", 1);
      await expectCurrent(page, 1);
    });
    await test.step("the ends", async () => {
      await press(page, "End", 1);
      await expectCurrent(page, total - 1);
      await press(page, "ArrowDown", 1);
      await expectCurrent(page, total - 1);
      await press(page, "Home", 1);
      await expectCurrent(page, 0);
    });
    await expect(grid, "the focus never leaves the table").toBeFocused();
  });

  test("its first arrow comes upon the first row", async ({ page }) => {
    const grid = await openList(page);
    await grid.focus();
    await press(page, "ArrowDown", 1);
    await expectCurrent(page, 0);
  });

  test("Space and x choose, `o` opens the page, `/` searches", async ({ page }) => {
    const grid = await openList(page);
    await page.keyboard.press("j");
    await expect(grid, "j enters the table").toBeFocused();
    await expectCurrent(page, 0);
    await press(page, " ", 1);
    await expect(row(page, 0)).toHaveAttribute("aria-selected", "true");
    await expect(row(page, 0).locator("input.check")).toBeChecked();
    await press(page, "ArrowDown", 1);
    await press(page, "x", 1);
    await expect(page.getByRole("toolbar", { name: "批量操作" })).toContainText("已选 2 台");
    await press(page, " ", 1);
    await expect(row(page, 1)).toHaveAttribute("aria-selected", "false");
    await press(page, "ArrowUp", 1);
    await press(page, "x", 1);
    await expect(page.getByRole("toolbar", { name: "批量操作" })).toHaveCount(0);
    await page.keyboard.press("/");
    await expect(page.locator("#vm-search")).toBeFocused();
    await page.keyboard.press("Escape");
    await grid.focus();
    const href = await row(page, 0).locator("td[data-col=name] a").getAttribute("href");
    await page.keyboard.press("o");
    await expect(page).toHaveURL(href!);
  });

  test("Enter opens the preview, arrows lead it along, Esc closes it and the focus stays", async ({ page }) => {
    const grid = await openList(page);
    await grid.focus();
    await press(page, "Home", 1);
    await page.keyboard.press("Enter");
    const drawer = page.locator(".vms-drawer");
    await expect(drawer).toBeVisible();
    await expect(page).toHaveURL(/\/vms\?open=/);
    await previewFollows(page, grid);
  });

  test("a preview that is open follows the arrows, and Esc closes it", async ({ page }) => {
    const grid = await openList(page);
    await row(page, 0).locator("td[data-col=state]").click();
    await expect(page.locator(".vms-drawer")).toBeVisible();
    await grid.focus();
    await previewFollows(page, grid);
  });
});

test.describe("the preview", () => {
  test.use({ role: "operator", language: "zh-CN" });

  test("Esc within it gives the focus to the table", async ({ page }) => {
    const grid = await openList(page);
    const drawer = page.locator(".vms-drawer");
    await row(page, 1).locator("td[data-col=state]").click();
    await drawer.locator("h2 a.name").focus();
    await page.keyboard.press("Escape");
    await expect(drawer).toHaveCount(0);
    await expect(grid).toBeFocused();
    await row(page, 1).locator("td[data-col=state]").click();
    await drawer.getByRole("button", { name: "关闭预览" }).press("Enter");
    await expect(drawer).toHaveCount(0);
    await expect(grid).toBeFocused();
  });
});

for (const language of LANGUAGES) {
  test.describe(`in ${language}`, () => {
    test.use({ role: "operator", language });

    test("a menu opens by the arrow, is walked round, and Esc gives the focus back", async ({ page, places }) => {
      await page.goto(`/vms/${places.vm}`);
      await hydrated(page);
      const button = page.locator("main .buttons button[aria-haspopup=menu]");
      const items = page.locator("main [role=menu] [role=menuitem]");
      await button.focus();
      await page.keyboard.press("ArrowDown");
      await expect(button).toHaveAttribute("aria-expanded", "true");
      await expect(items.first()).toBeFocused();
      await page.keyboard.press("ArrowDown");
      await expect(items.nth(1)).toBeFocused();
      await page.keyboard.press("End");
      await expect(items.last()).toBeFocused();
      await page.keyboard.press("ArrowDown");
      await expect(items.first(), "round").toBeFocused();
      await page.keyboard.press("ArrowUp");
      await expect(items.last(), "and back").toBeFocused();
      await page.keyboard.press("Home");
      await expect(items.first()).toBeFocused();
      await expectAccessible(page, "main");
      await test.step("what is refused says why, and does nothing", async () => {
        await expect(items.first()).toHaveAttribute("aria-disabled", "true");
        await expect(items.first()).toContainText(said(language, "已经在运行", "it is running already"));
        await page.keyboard.press("Enter");
        await expect(button).toHaveAttribute("aria-expanded", "true");
      });
      await page.keyboard.press("Escape");
      await expect(items).toHaveCount(0);
      await expect(button).toBeFocused();
      await test.step("Tab leaves it, and it closes", async () => {
        await page.keyboard.press("Enter");
        await expect(items.first()).toBeFocused();
        await page.keyboard.press("Tab");
        await expect(items).toHaveCount(0);
      });
    });

    test("the arrow opens a menu a second time", async ({ page, places }) => {
      await page.goto(`/vms/${places.vm}`);
      await hydrated(page);
      const button = page.locator("main .buttons button[aria-haspopup=menu]");
      await button.focus();
      for (let times = 0; times < 3; times++) {
        await page.keyboard.press("ArrowDown");
        await expect(page.locator("main [role=menu] [role=menuitem]").first()).toBeFocused();
        await page.keyboard.press("Escape");
        await expect(button).toBeFocused();
      }
    });

    test("a dialog keeps the focus in, Esc closes it, and the focus goes back to what opened it", async ({ page, places }) => {
      await page.goto(`/vms/${places.vm}`);
      await hydrated(page);
      const button = page.locator("main .buttons button[aria-haspopup=menu]");
      await askToShutDown(page, button);
      const dialog = page.getByRole("dialog", { name: new RegExp(said(language, "^关机 ", "^Shut down ")) });
      await expect(dialog).toBeVisible();
      await expect(dialog.locator("textarea"), "it begins in its first field").toBeFocused();
      await keepsTheFocus(page, "dialog[open]");
      await expectAccessible(page, "dialog[open]");
      await test.step("the button waits for a reason, and says so", async () => {
        const act = dialog.getByRole("button", { name: said(language, "关机", "Shut down"), exact: true });
        await expect(act).toHaveAttribute("aria-disabled", "true");
        await expect(act).toHaveAccessibleDescription(said(language, "写明原因，它会进入审计", "Say why; it goes into the audit trail"));
        await dialog.locator("textarea").fill("CHG");
        await expect(act).not.toHaveAttribute("aria-disabled", "true");
      });
      await page.keyboard.press("Escape");
      await expect(dialog).not.toBeVisible();
      await expect(button).toBeFocused();
      await test.step("what was typed into one question is no answer to the next", async () => {
        await askToShutDown(page, button);
        await expect(dialog.locator("textarea")).toHaveValue("");
        await dialog.getByRole("button", { name: said(language, "取消", "Cancel") }).press("Enter");
        await expect(dialog).not.toBeVisible();
        await expect(button).toBeFocused();
      });
    });

    test("`?` lists the keys; Esc closes the task drawer", async ({ page }) => {
      await openList(page);
      const tasks = page.locator(`.topbar button[title='${said(language, "任务中心", "Tasks")}']`);
      await test.step("help", async () => {
        await page.keyboard.press("?");
        const help = page.getByRole("dialog", { name: said(language, "快捷键", "Keyboard shortcuts") });
        await expect(help).toBeVisible();
        await expect(help).toContainText(said(language, "处处可用", "Everywhere"));
        await expect(help).toContainText(said(language, "虚拟机列表", "VM list"));
        await keepsTheFocus(page, "dialog[open]");
        await expectAccessible(page, "dialog[open]");
        await help.getByRole("button", { name: said(language, "关闭", "Close") }).press("Enter");
        await expect(help).not.toBeVisible();
      });
      await test.step("the task drawer", async () => {
        await tasks.focus();
        await page.keyboard.press("Enter");
        await expect(tasks).toHaveAttribute("aria-expanded", "true");
        await expectAccessible(page, "aside.drawer");
        await page.keyboard.press("Escape");
        await expect(tasks).toHaveAttribute("aria-expanded", "false");
        await expect(tasks).toBeFocused();
      });
    });

    test("Esc in the menu under the name gives the focus back to the name", async ({ page }) => {
      await openList(page);
      const me = page.locator("summary.me");
      await me.focus();
      await page.keyboard.press("Enter");
      await expect(page.locator("details.pop[open]")).toHaveCount(1);
      await page.keyboard.press("Tab");
      await expect(page.locator("details.pop a[href='/account']")).toBeFocused();
      await page.keyboard.press("Escape");
      await expect(page.locator("details.pop[open]")).toHaveCount(0);
      await expect(me).toBeFocused();
    });

    test("Esc closes a dialog wherever in it the focus is", async ({ page, places }) => {
      await openList(page);
      await page.keyboard.press("?");
      const help = page.getByRole("dialog", { name: said(language, "快捷键", "Keyboard shortcuts") });
      await expect(help).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(help).not.toBeVisible();
      await page.goto(`/vms/${places.vm}`);
      await hydrated(page);
      const button = page.locator("main .buttons button[aria-haspopup=menu]");
      await askToShutDown(page, button);
      const dialog = page.getByRole("dialog", { name: new RegExp(said(language, "^关机 ", "^Shut down ")) });
      await dialog.getByRole("button", { name: said(language, "取消", "Cancel") }).focus();
      await page.keyboard.press("Escape");
      await expect(dialog).not.toBeVisible();
      await expect(button).toBeFocused();
    });

    test("the proposals of the search close on Esc and are taken by arrows", async ({ page }) => {
      await openList(page);
      await page.keyboard.press("/");
      const field = page.locator("#vm-search");
      await page.keyboard.type("en");
      const proposals = page.locator("#vm-search-list");
      await expect(proposals).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(proposals).toHaveCount(0);
      await expect(field).toHaveValue("en");
      await page.keyboard.type("v");
      await page.keyboard.press("ArrowDown");
      await expect(field).toHaveAttribute("aria-activedescendant", "vm-search-list-0");
      await page.keyboard.press("Enter");
      await expect(field, "half a token is written").toHaveValue("env:");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await expect(field).toHaveValue("");
      await expect(page.locator(".search .token")).toHaveCount(1);
      await expect(page).toHaveURL(/q=env%3A/);
      await page.keyboard.press("Backspace");
      await expect(page.locator(".search .token")).toHaveCount(0);
    });
  });
}

test.describe("who may not", () => {
  test.use({ role: "viewer", language: "en" });

  test("is told why at the focus, and Esc takes the tip away", async ({ page, places }) => {
    await page.goto(`/vms/${places.vm}`);
    await hydrated(page);
    const button = page.locator("main .buttons > button").first();
    const tip = button.locator(".tip");
    await expect(tip).toBeHidden();
    // By Tab, as the keyboard does: a tip is for a focus that can be seen.
    await tabTo(page, button);
    await expect(tip).toBeVisible();
    await expect(tip).toHaveText("the role viewer may not change the power of VMs; that takes operator");
    await page.keyboard.press("Escape");
    await expect(tip).toBeHidden();
    await expect(button, "only the tip goes").toBeFocused();
    await button.hover();
    await page.keyboard.press("Tab");
    await expect(tip, "the pointer shows it too").toBeVisible();
    await page.keyboard.press("Escape");
    await expect(tip).toBeHidden();
  });

  test("skips to the content", async ({ page }) => {
    for (const path of ["/", "/vms", "/clusters", "/addresses", "/account"]) {
      await page.goto(path);
      await hydrated(page);
      await expectSkipLink(page);
    }
  });
});

const row = (page: Page, at: number): Locator => page.locator(`#vms-${at}`);

async function openList(page: Page): Promise<Locator> {
  await page.goto("/vms");
  await hydrated(page);
  const grid = page.locator("#vms");
  await expect(row(page, 0)).toBeVisible();
  return grid;
}

/** By the menu, from its button: down to the second line. */
async function askToShutDown(page: Page, button: Locator): Promise<void> {
  const items = page.locator("main [role=menu] [role=menuitem]");
  await button.press("Enter");
  await expect(items.first()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(items.nth(1)).toBeFocused();
  await page.keyboard.press("Enter");
}

async function press(page: Page, key: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await page.keyboard.press(key);
}

/** The index of the row at the keyboard's place. */
async function current(page: Page): Promise<number> {
  return Number((await page.locator("#vms").getAttribute("aria-activedescendant"))?.replace("vms-", ""));
}

/** The row is the current one, is there, and is seen. */
async function expectCurrent(page: Page, at: number): Promise<void> {
  await expect(page.locator("#vms")).toHaveAttribute("aria-activedescendant", `vms-${at}`);
  await expect(row(page, at)).toHaveAttribute("data-current", "");
  await expect(row(page, at)).toBeInViewport({ ratio: 1 });
}

/** The preview is open at the first row: it goes along with the arrows and closes by Esc. */
async function previewFollows(page: Page, grid: Locator): Promise<void> {
  const drawer = page.locator(".vms-drawer");
  const nameOf = (at: number) => row(page, at).locator("td[data-col=name] a").innerText();
  const head = drawer.locator("h2 a.name");
  await expect(head).toHaveText(await nameOf(0));
  await page.keyboard.press("ArrowDown");
  await expect(head).toHaveText(await nameOf(1));
  await expect(page).toHaveURL(new RegExp(`open=.*${await nameOf(1)}`));
  await page.keyboard.press("Escape");
  await expect(drawer).toHaveCount(0);
  await expect(page).toHaveURL("/vms");
  await expect(grid).toBeFocused();
}

/** Twenty presses of Tab lead to nothing outside; the browser's own bars, which have no element, are no part of the page. */
async function keepsTheFocus(page: Page, within: string): Promise<void> {
  let inside = 0;
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press("Tab");
    const where = await page.evaluate((within) => {
      const active = document.activeElement;
      return active === null || active === document.body ? "nowhere" : active.closest(within) !== null ? "inside" : active.outerHTML.slice(0, 80);
    }, within);
    expect(["inside", "nowhere"]).toContain(where);
    if (where === "inside") inside++;
  }
  expect(inside, "it can be walked").toBeGreaterThan(5);
}

async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  await expect(wanted).toBeFocused();
}
