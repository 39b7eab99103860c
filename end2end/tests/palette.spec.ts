/**
 * The palette: anything from anything, by keyboard alone; what it offers depends on who looks.
 */
import type { Locator, Page } from "@playwright/test";

import { LANGUAGES, type Language, type Role, ROLES } from "../pages";
import { expectAccessibleInBothThemes } from "../support/axe";
import type { Demo } from "../support/demo";
import { hydrated } from "../support/hydration";
import { valueOf, vmsOf } from "../support/kubectl";
import { CLUSTER } from "../support/places";
import { expect, test } from "../support/shared";
import { said } from "../support/words";

/** What an empty palette leads to, by who may go there. */
const PAGES: [least: Role, zh: string, en: string][] = [
  ["viewer", "总览", "Overview"],
  ["operator", "自助", "Portal"],
  ["viewer", "虚拟机", "VMs"],
  ["viewer", "地址", "Addresses"],
  ["viewer", "集群", "Clusters"],
  ["admin", "登记集群", "Register a cluster"],
  ["operator", "审计", "Audit"],
  ["viewer", "登录会话", "Sessions"],
];

for (const language of LANGUAGES) {
  test.describe(`in ${language}`, () => {
    test.use({ language, role: "operator" });

    test("finds a VM by its name, goes there by arrows and Enter", async ({ page, demo }) => {
      const vm = await loneVm(demo);
      await page.goto("/clusters");
      await hydrated(page);
      await page.keyboard.press("Control+k");
      const input = combobox(page);
      await expect(input).toBeFocused();
      await input.fill(vm.name);
      const found = option(page, vm.name, said(language, "虚拟机", "VM"));
      await expect(found).toBeVisible();
      await expect(options(page).first()).toHaveAttribute("aria-selected", "true");
      await test.step("arrows go round, and the field says which is chosen", async () => {
        const count = await options(page).count();
        for (let n = 1; n <= count; n++) {
          await page.keyboard.press("ArrowDown");
          const chosen = options(page).and(page.locator("[aria-selected=true]"));
          await expect(chosen).toHaveCount(1);
          await expect(chosen).toHaveId(`palette-${n % count}`);
          await expect(input).toHaveAttribute("aria-activedescendant", `palette-${n % count}`);
          await expect(input, "the focus stays in the field").toBeFocused();
        }
        await page.keyboard.press("ArrowUp");
        await expect(options(page).last()).toHaveAttribute("aria-selected", "true");
      });
      await choose(page, found);
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(`/vms/${CLUSTER}/${vm.namespace}/${vm.name}`);
      await expect(page.locator(".palette")).toHaveCount(0);
      await expect(page.locator("h1")).toContainText(vm.name);
    });

    test("finds a VM by its address, and opens its console by a word", async ({ page, demo }) => {
      const kubeconfig = demo.kubeconfigs[0]!;
      const vm = await loneVm(demo);
      const address = await valueOf(kubeconfig, "vmi", vm, "{.status.interfaces[0].ipAddress}");
      expect(address, "the guest reports an address").toMatch(/^\d+\.\d+\.\d+\.\d+$/);
      await page.goto("/");
      await hydrated(page);
      await page.keyboard.press("Meta+k");
      await combobox(page).fill(address);
      const found = option(page, vm.name, said(language, "虚拟机", "VM"));
      await expect(found).toContainText(address);
      await choose(page, found);
      await page.keyboard.press("Enter");
      await expect(page).toHaveURL(`/vms/${CLUSTER}/${vm.namespace}/${vm.name}`);
      await test.step("with Ctrl it opens in a tab of its own, and this page stays", async () => {
        await page.goto("/");
        await hydrated(page);
        await page.keyboard.press("Control+k");
        await combobox(page).fill(`console ${vm.name}`);
        await expect(options(page).first()).toContainText(said(language, `打开 ${vm.name} 的控制台`, `Open the console of ${vm.name}`));
        const opened = page.context().waitForEvent("page");
        await page.keyboard.press("Control+Enter");
        const tab = await opened;
        await tab.waitForURL(`**/console/${CLUSTER}/${vm.namespace}/${vm.name}`);
        await tab.close();
        await expect(page).toHaveURL("/");
      });
    });

    test("Esc closes it, and the focus is where it was", async ({ page }) => {
      await page.goto("/vms");
      await hydrated(page);
      for (const from of ["#vm-search", "#nav a[href='/clusters']", "#vms", ".finder"]) {
        await page.locator(from).focus();
        await page.keyboard.press("Control+k");
        await expect(combobox(page)).toBeFocused();
        await page.keyboard.type("no-such-thing-anywhere");
        await expect(page.locator(".palette-none")).toContainText(said(language, "没有与“no-such-thing-anywhere”有关的东西", "Nothing has to do with “no-such-thing-anywhere”"));
        await page.keyboard.press("Escape");
        await expect(page.locator(".palette")).toHaveCount(0);
        await expect(page.locator(from), from).toBeFocused();
      }
      await test.step("it begins afresh, and the same keys close it", async () => {
        await page.keyboard.press("Control+k");
        await expect(combobox(page)).toHaveValue("");
        await page.keyboard.press("Control+k");
        await expect(page.locator(".palette")).toHaveCount(0);
      });
      await test.step("a click beside it closes it", async () => {
        await page.locator(".finder").click();
        await expect(combobox(page)).toBeFocused();
        await page.locator(".veil").click({ position: { x: 5, y: 400 } });
        await expect(page.locator(".palette")).toHaveCount(0);
      });
    });

    test("axe finds nothing in it", async ({ page }) => {
      await page.goto("/clusters");
      await hydrated(page);
      await page.keyboard.press("Control+k");
      await combobox(page).fill("a");
      await expect(options(page).first()).toBeVisible();
      await expectAccessibleInBothThemes(page, ".palette");
    });

    test("Tab does not lead to what it covers", async ({ page }) => {
      await page.goto("/clusters");
      await hydrated(page);
      await page.keyboard.press("Control+k");
      await expect(combobox(page)).toBeFocused();
      for (const key of ["Tab", "Tab", "Tab", "Shift+Tab", "Shift+Tab"]) {
        await page.keyboard.press(key);
        expect(await page.evaluate(() => document.activeElement?.closest(".palette") !== null), `after ${key}`).toBe(true);
      }
    });
  });
}

for (const role of ROLES) {
  const language: Language = role === "viewer" ? "en" : "zh-CN";
  test.describe(`to a ${role}`, () => {
    test.use({ role, language });

    test("offers what they may do, and no more", async ({ page, demo }) => {
      const vm = await loneVm(demo);
      await page.goto("/");
      await hydrated(page);
      await page.keyboard.press("Control+k");
      const may = PAGES.filter(([least]) => ROLES.indexOf(role) >= ROLES.indexOf(least));
      await expect(options(page).locator("span")).toHaveText(may.map(([, zh, en]) => said(language, zh, en)));
      await combobox(page).fill(vm.name);
      await expect(option(page, vm.name, said(language, "虚拟机", "VM"))).toBeVisible();
      const console = options(page).filter({ hasText: said(language, `打开 ${vm.name} 的控制台`, `Open the console of ${vm.name}`) });
      await expect(console).toHaveCount(role === "viewer" ? 0 : 1);
      await combobox(page).fill(`console ${vm.name}`);
      if (role === "viewer") await expect(page.locator(".palette-none")).toBeVisible();
      else await expect(console).toHaveCount(1);
    });
  });
}

const combobox = (page: Page): Locator => page.locator(".palette [role=combobox]");
const options = (page: Page): Locator => page.locator(".palette [role=option]");
const option = (page: Page, title: string, kind: string): Locator =>
  options(page).filter({ has: page.locator("span", { hasText: new RegExp(`^${title}$`) }) }).filter({ has: page.locator("em", { hasText: new RegExp(`^${kind}$`) }) });

/** Moves the choice there by the arrow. */
async function choose(page: Page, wanted: Locator): Promise<void> {
  for (let presses = 0; presses < 30 && (await wanted.getAttribute("aria-selected")) !== "true"; presses++) await page.keyboard.press("ArrowDown");
  await expect(wanted).toHaveAttribute("aria-selected", "true");
}

/** A running VM of the first cluster whose name is part of no other's in any. */
async function loneVm({ kubeconfigs }: Demo) {
  const [here, ...others] = await Promise.all(kubeconfigs.map(vmsOf));
  const names = [here!, ...others].flat().map(({ name }) => name);
  const lone = here!.find((vm) => vm.status === "Running" && vm.environment !== "prod" && names.filter((name) => name.includes(vm.name)).length === 1);
  if (lone === undefined) throw new Error("no running VM of the demo has a name of its own");
  return lone;
}
