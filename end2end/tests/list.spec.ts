/**
 * The list of all VMs: its search language beside what kubectl counts, order and address, what a phone shows, what is
 * done with many at once, and rows that come and go with the cluster.
 */
import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { Locator, Page } from "@playwright/test";

import { LANGUAGES } from "../pages";
import { expectAccessible } from "../support/axe";
import { hydrated } from "../support/hydration";
import { ALL_VMS, kubectl, raw, valueOf } from "../support/kubectl";
import { expectNoSidewaysScroll } from "../support/layout";
import { CLUSTER } from "../support/places";
import { expect, test } from "../support/shared";
import { said } from "../support/words";

/** What somebody else changes is seen within this; requirement of the live list. */
const AT_ONCE_MS = 1_000;
const NAMESPACE = "default";

test.use({ role: "operator", language: "zh-CN" });

test("what is searched is what kubectl counts", async ({ page, demo }) => {
  const [here, there] = (await Promise.all(demo.kubeconfigs.map(vms))) as [Vm[], Vm[]];
  const all = [...here, ...there];
  const owner = all.find((vm) => vm.owner !== "")!.owner;
  const service = all.find((vm) => vm.service !== "")!.service;
  const of = (holds: (vm: Vm) => boolean) => all.filter(holds).length;
  await openList(page);
  await expectFound(page, all.length);
  const cases: [string, number][] = [
    ["env:prod", of((vm) => vm.environment === "prod")],
    [`cluster:${CLUSTER}`, here.length],
    [`owner:${owner}`, of((vm) => vm.owner === owner)],
    [`负责人:${owner}`, of((vm) => vm.owner === owner)],
    ["owner:", of((vm) => vm.owner === "")],
    [`service:${service}`, of((vm) => vm.service.includes(service))],
    ["status:stopped", of((vm) => vm.status === "Stopped")],
    ["-status:running", of((vm) => vm.status !== "Running")],
    ["cpu>4", of((vm) => vm.cpu > 4)],
    ["cpu<=2", of((vm) => vm.cpu <= 2)],
    [`env:prod cluster:${CLUSTER} -status:stopped`, here.filter((vm) => vm.environment === "prod" && vm.status !== "Stopped").length],
    [all[7]!.name, of((vm) => vm.name.includes(all[7]!.name))],
  ];
  for (const [text, count] of cases) {
    await test.step(text, async () => {
      for (const word of text.split(" ")) await enter(page, word);
      await expect(tokens(page)).toHaveCount(text.split(" ").length);
      await expect(page).toHaveURL(`/vms?q=${encodeURIComponent(text)}`);
      if (count > 0) await expectFound(page, count);
      else await expect(page.locator("main")).toContainText("没有符合条件的虚拟机");
      for (const _ of text.split(" ")) await tokens(page).last().getByRole("button").click();
      await expect(tokens(page)).toHaveCount(0);
      await expect(page).toHaveURL("/vms");
    });
  }
  await test.step("while it is typed, before Enter", async () => {
    await page.locator("#vm-search").fill(all[7]!.name);
    await expectFound(page, of((vm) => vm.name.includes(all[7]!.name)));
    await expect(page, "an address is what was entered").toHaveURL("/vms");
    await page.locator("#vm-search").fill("owner:");
    await expectFound(page, all.length);
    await page.locator("#vm-search").fill("");
  });
  await test.step("what cannot be understood says so, and the list stays as it was", async () => {
    await enter(page, "env:prod");
    const prod = of((vm) => vm.environment === "prod");
    await expectFound(page, prod);
    for (const [word, sentence] of [["cpu>many", "“cpu”要一个数"], ["statuss:x", "没有“statuss”这个字段"], ["owner>3", "“owner”不能比较大小"]] as const) {
      await enter(page, word);
      await expect(tokens(page).last()).toHaveAttribute("aria-invalid", "true");
      await expect(page.locator("#vm-search-wrong")).toContainText(sentence);
      await expect(page.locator("#vm-search")).toHaveAccessibleDescription(new RegExp(sentence));
      await expectFound(page, prod);
      await page.locator("#vm-search").press("Backspace");
      await expect(page.locator("#vm-search-wrong")).toHaveCount(0);
    }
  });
  await test.step("nothing found: each word can be dropped", async () => {
    await enter(page, "no-such-vm");
    await expect(page.locator("main")).toContainText("没有符合条件的虚拟机");
    await page.getByRole("button", { name: "去掉 no-such-vm" }).click();
    await expectFound(page, of((vm) => vm.environment === "prod"));
  });
});

test("a head sorts by its column, up and then down", async ({ page, demo }) => {
  const cpus = (await vms(demo.kubeconfigs[0]!)).map(({ cpu }) => cpu);
  await openList(page);
  await enter(page, `cluster:${CLUSTER}`);
  await expectFound(page, cpus.length);
  const head = page.locator("#vms th[data-col=cpu]");
  await head.getByRole("button").click();
  await expect(page).toHaveURL(/sort=cpu$/);
  await expect(head).toHaveAttribute("aria-sort", "ascending");
  await expect(row(page, 0).locator("td[data-col=cpu]")).toHaveText(`${Math.min(...cpus)}`);
  await head.getByRole("button").click();
  await expect(page).toHaveURL(/sort=-cpu$/);
  await expect(head).toHaveAttribute("aria-sort", "descending");
  await expect(row(page, 0).locator("td[data-col=cpu]")).toHaveText(`${Math.max(...cpus)}`);
});

test("order and search are in the address; back restores both", async ({ page, demo }) => {
  const cpus = (await vms(demo.kubeconfigs[0]!)).map(({ cpu }) => cpu);
  await page.goto(`/vms?q=${encodeURIComponent(`cluster:${CLUSTER}`)}&sort=cpu`);
  await hydrated(page);
  await expectFound(page, cpus.length);
  const head = page.locator("#vms th[data-col=cpu]");
  await expect(head).toHaveAttribute("aria-sort", "ascending");
  await expect(row(page, 0).locator("td[data-col=cpu]")).toHaveText(`${Math.min(...cpus)}`);
  const address = page.url();
  const names = () => page.locator("#vms tbody:not([data-gap]) td[data-col=name] a").evaluateAll((links) => links.slice(0, 12).map((link) => link.textContent));
  await expect.poll(async () => (await columnOf(page)).every((cpu, at, all) => at === 0 || cpu >= all[at - 1]!), "smallest first").toBe(true);
  const before = await names();
  await test.step("to a VM's page and back", async () => {
    await row(page, 3).locator("td[data-col=name] a").click();
    await expect(page.locator("h1")).toContainText(before[3]!);
    await page.goBack();
    await expect(page).toHaveURL(address);
    await expect(tokens(page)).toHaveText([new RegExp(CLUSTER)]);
    await expect(head).toHaveAttribute("aria-sort", "ascending");
    await expect.poll(names).toEqual(before);
  });
  await test.step("a view is a link: back leads out of it", async () => {
    await page.getByRole("navigation", { name: "视图" }).getByRole("link", { name: /^停止/ }).click();
    await expect(page).toHaveURL(/q=status%3Astopped&sort=cpu/);
    await expect(tokens(page)).toHaveText([/status:.*stopped/]);
    await page.goBack();
    await expect(page).toHaveURL(address);
    await expect.poll(names).toEqual(before);
  });
  await test.step("the preview is in it, and a reload shows it all again", async () => {
    await row(page, 2).locator("td[data-col=state]").click();
    await expect(page).toHaveURL(/open=/);
    await page.reload();
    await hydrated(page);
    await expect(page.locator(".vms-drawer h2 a.name")).toHaveText(before[2]!);
    expect(await names()).toEqual(before);
  });
});

test("a phone shows names, addresses and owners, and all can be done", async ({ page, places }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto("/vms?q=status%3Arunning");
  await hydrated(page);
  const name = row(page, 0).locator("td[data-col=name]");
  await expect(name.locator("a")).toBeInViewport();
  await expect(name.locator(".under"), "address and owner stand under the name").toBeVisible();
  await expect(name.locator(".under")).toContainText(/\d+\.\d+\.\d+\.\d+/);
  await expect(page.locator("#vms th[data-col=host]")).toBeHidden();
  await expectNoSidewaysScroll(page, 360);
  await page.setViewportSize({ width: 360, height: 780 });
  await test.step("search", async () => {
    await enter(page, places.vm.split("/")[2]!);
    await expect(page.locator("#vms")).toHaveAttribute("aria-rowcount", /^\d$/);
  });
  await test.step("the bar of many stands in the window, and hides no row for good", async () => {
    await row(page, 0).locator("input.check").check();
    const bulk = page.getByRole("toolbar", { name: "批量操作" });
    await expect(bulk).toBeInViewport({ ratio: 1 });
    for (const button of await bulk.getByRole("button").all()) {
      await button.scrollIntoViewIfNeeded();
      await expect(button, "but for a fraction of a pixel").toBeInViewport({ ratio: 0.98 });
    }
    await bulk.getByRole("button", { name: "更多电源操作" }).click();
    for (const item of await bulk.getByRole("menuitem").all()) {
      await expect(item).toBeInViewport({ ratio: 1 });
      // What lies over it would take the tap.
      await expect.poll(() => item.evaluate(isOnTop), "it can be tapped").toBe(true);
    }
    await page.keyboard.press("Escape");
    await expectAccessible(page, ".vms-list");
    await bulk.getByRole("button", { name: "取消选择" }).click();
  });
  await test.step("a VM's page, from its name, and back", async () => {
    await name.locator("a").click();
    await expect(page).toHaveURL(`/vms/${places.vm}`);
    await expectNoSidewaysScroll(page, 360);
    await page.setViewportSize({ width: 360, height: 780 });
    await page.goBack();
    await expect(row(page, 0)).toBeVisible();
  });
  await test.step("the navigation is a drawer", async () => {
    const menu = page.locator(".topbar button[aria-controls=nav]");
    await expect(page.locator("#nav a[href='/clusters']")).not.toBeInViewport();
    await menu.click();
    await page.locator("#nav a[href='/clusters']").click();
    await expect(page).toHaveURL("/clusters");
    await expect(page.locator("#nav a[href='/vms']")).not.toBeInViewport();
  });
});

test("a tap on a row of a phone leads somewhere that can be seen", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await openList(page);
  const name = await row(page, 0).locator("td[data-col=name] a").innerText();
  await row(page, 0).locator("td[data-col=state]").click();
  await expect(page.getByRole("heading", { name })).toBeInViewport();
});

for (const language of LANGUAGES) {
  test.describe(`in ${language}`, () => {
    test.use({ language });

    test("what others make and stop is seen at once; many are started and stopped together", async ({ page, demo }) => {
      test.setTimeout(240_000);
      const kubeconfig = demo.kubeconfigs[0]!;
      const prefix = `many-${language.toLowerCase().slice(0, 2)}`;
      const names = [1, 2, 3].map((n) => `${prefix}-${n}`);
      await page.goto(`/vms?q=${prefix}`);
      await hydrated(page);
      await expect(page.locator("main")).toContainText(said(language, "没有符合条件的虚拟机", "No VM matches"));
      try {
        await test.step("made by kubectl, they are there at once", async () => {
          const files = names.map((name) => path.join(demo.data, `${name}.json`));
          await Promise.all(names.map((name, at) => writeFile(files[at]!, JSON.stringify(manifest(name)))));
          const took = await untilShown(page, names, true, () => kubectl(kubeconfig, "apply", ...files.flatMap((file) => ["-f", file])));
          expect(took).toBeLessThanOrEqual(AT_ONCE_MS);
          await expectFound(page, 3);
        });
        for (const name of names) await rowOf(page, name).locator("input.check").check();
        const bulk = page.getByRole("toolbar", { name: said(language, "批量操作", "Bulk actions") });
        await expect(bulk).toContainText(said(language, "已选 3 台", "3 selected"));
        await test.step("started together: the question names how many and which", async () => {
          await bulk.getByRole("button", { name: new RegExp(`^${said(language, "启动", "Start")}`) }).click();
          const dialog = page.getByRole("dialog", { name: said(language, "启动 3 台虚拟机？", "Start: 3 VMs?") });
          await expect(dialog.locator(".vms-named li")).toHaveText(names);
          await expectAccessible(page, "dialog[open]");
          await dialog.locator("footer button").last().click();
          await expect(page.locator(".toast").last()).toContainText(said(language, "启动：3 台已下达", "Start: sent to 3 VMs"), { timeout: 20_000 });
          await expectPower(page, kubeconfig, names, "Running", said(language, "运行", "Running"));
          await expect(bulk, "nothing is left chosen").toHaveCount(0);
        });
        await test.step("one is stopped by kubectl; who is left out is said, and why", async () => {
          const patch = JSON.stringify({ spec: { running: null, runStrategy: "Halted" } });
          await kubectl(kubeconfig, "-n", NAMESPACE, "patch", "vm", names[1]!, "--type", "merge", "-p", patch);
          await expectPower(page, kubeconfig, [names[1]!], "Stopped", said(language, "停止", "Stopped"));
          for (const name of names) await rowOf(page, name).locator("input.check").check();
          await bulk.getByRole("button", { name: said(language, "关机 2 台", "Shut down 2") }).click();
          const dialog = page.getByRole("dialog", { name: said(language, "关机 2 台虚拟机？", "Shut down: 2 VMs?") });
          await expect(dialog.locator(".vms-named li")).toHaveText([names[0]!, names[2]!]);
          await expect(dialog).toContainText(said(language, "1 台不参加", "1 left out"));
          await expect(dialog).toContainText(said(language, "已经停止", "it is stopped already"));
          await expect(dialog.locator("ul.list").last()).toContainText(names[1]!);
          const act = dialog.locator("footer button").last();
          await expect(act, "it asks why").toHaveAttribute("aria-disabled", "true");
          await dialog.locator("textarea").fill("CHG-20940");
          await act.click();
          await expect(page.locator(".toast").last()).toContainText(said(language, "关机：2 台已下达", "Shut down: sent to 2 VMs"), { timeout: 20_000 });
          await expectPower(page, kubeconfig, names, "Stopped", said(language, "停止", "Stopped"));
        });
      } finally {
        await kubectl(kubeconfig, "-n", NAMESPACE, "delete", "vm", ...names, "--ignore-not-found");
      }
    });
  });
}

for (const isOpen of [false, true]) {
  test(`a VM that kubectl deletes leaves the list at once, ${isOpen ? "and its preview with it" : "the last of a search too"}`, async ({ page, demo }) => {
    const name = `deleted-${isOpen ? "previewed" : "last"}`;
    const [kubeconfig, file] = [demo.kubeconfigs[0]!, path.join(demo.data, `${name}.json`)];
    await page.goto(`/vms?q=${name}`);
    await hydrated(page);
    await writeFile(file, JSON.stringify(manifest(name)));
    await kubectl(kubeconfig, "apply", "-f", file);
    await expect(rowOf(page, name)).toBeVisible();
    if (isOpen) await rowOf(page, name).locator("td[data-col=state]").click();
    const took = await untilShown(page, [name], false, () => kubectl(kubeconfig, "-n", NAMESPACE, "delete", "vm", name, "--wait=false"));
    const left = await kubectl(kubeconfig, "-n", NAMESPACE, "get", "vm", name, "--ignore-not-found", "-o", "name");
    expect(left, "what the cluster still has").toBe("");
    expect(await page.locator("#vms tbody:not([data-gap]) > tr").allInnerTexts(), "what the list still has").toEqual([]);
    expect(took).toBeLessThanOrEqual(AT_ONCE_MS);
    await expect(page.locator("main")).toContainText("没有符合条件的虚拟机");
  });
}

/** A VM as the list tells it. */
interface Vm {
  name: string;
  status: string;
  environment: string;
  owner: string;
  service: string;
  cpu: number;
}

async function vms(kubeconfig: string): Promise<Vm[]> {
  const { items } = JSON.parse((await raw(kubeconfig, ALL_VMS)).toString("utf8")) as { items: Item[] };
  return items.map(({ metadata, spec, status }) => {
    const label = (key: string) => metadata.labels?.[`ops.example.com/${key}`] ?? "";
    const { cores = 1, sockets = 1, threads = 1 } = spec.template.spec.domain.cpu ?? {};
    return { name: metadata.name, status: status?.printableStatus ?? "", environment: label("env"), owner: label("owner"), service: label("service"), cpu: cores * sockets * threads };
  });
}

interface Item {
  metadata: { name: string; labels?: Record<string, string> };
  spec: { template: { spec: { domain: { cpu?: { cores?: number; sockets?: number; threads?: number } } } } };
  status?: { printableStatus?: string };
}

/** The least that a cluster takes for a VM: no disk, no network, off. */
function manifest(name: string) {
  const domain = { cpu: { cores: 1 }, memory: { guest: "256Mi" }, resources: { limits: { cpu: "1", memory: "512Mi" } }, devices: {} };
  return {
    apiVersion: "kubevirt.io/v1",
    kind: "VirtualMachine",
    metadata: { name, namespace: NAMESPACE, labels: { "ops.example.com/env": "test" } },
    spec: { runStrategy: "Halted", template: { spec: { domain } } },
  };
}

const row = (page: Page, at: number): Locator => page.locator(`#vms-${at}`);
const rowOf = (page: Page, name: string): Locator => page.locator("#vms tbody:not([data-gap]) > tr", { has: page.locator("td[data-col=name] a", { hasText: new RegExp(`^${name}$`) }) });
const tokens = (page: Page): Locator => page.locator(".search .token");

async function openList(page: Page): Promise<void> {
  await page.goto("/vms");
  await hydrated(page);
  await expect(row(page, 0)).toBeVisible();
}

async function enter(page: Page, word: string): Promise<void> {
  const count = await tokens(page).count();
  await page.locator("#vm-search").fill(word);
  await page.locator("#vm-search").press("Enter");
  await expect(tokens(page)).toHaveCount(count + 1);
}

/** Runs in the page: nothing lies over its middle. */
function isOnTop(element: Element): boolean {
  const { x, y, width, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}

/** The table has so many rows, and the field says so. */
async function expectFound(page: Page, count: number): Promise<void> {
  await expect(page.locator("#vms")).toHaveAttribute("aria-rowcount", `${count + 1}`);
  await expect(page.locator(".search em")).toContainText(new RegExp(`^${count} `));
}

async function columnOf(page: Page): Promise<number[]> {
  return page.locator("#vms tbody:not([data-gap]) td[data-col=cpu]").evaluateAll((cells) => cells.map((cell) => Number(cell.textContent)));
}

/** The cluster and the list agree that all have come to this power. */
async function expectPower(page: Page, kubeconfig: string, names: string[], status: string, word: string): Promise<void> {
  for (const name of names) {
    await expect.poll(() => valueOf(kubeconfig, "vm", { namespace: NAMESPACE, name }, "{.status.printableStatus}"), { timeout: 60_000 }).toBe(status);
    await expect(rowOf(page, name).locator("td[data-col=state]")).toHaveText(word);
  }
}

/** Milliseconds from the end of `act` until the table shows all names, or none; the page itself notes when, if ever. */
async function untilShown(page: Page, names: string[], isShown: boolean, act: () => Promise<unknown>): Promise<number> {
  const seen = page.evaluate(
    ([names, isShown]) =>
      new Promise<number>((resolve) => {
        const look = () => {
          const text = document.querySelector("#vms")?.textContent ?? "";
          if (names.every((name) => text.includes(name) === isShown)) resolve(Date.now());
        };
        new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
        setTimeout(() => resolve(Number.POSITIVE_INFINITY), 20_000);
      }),
    [names, isShown] as const,
  );
  await act();
  const done = Date.now();
  return (await seen) - done;
}
