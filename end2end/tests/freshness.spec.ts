/**
 * What a page says while what it shows is old: the server killed and back, the network gone, one cluster of several that
 * answers no more. The demo here is its own, since it is killed.
 */
import { readFile } from "node:fs/promises";
import { type Browser, type BrowserContext, expect, type Locator, type Page, test } from "@playwright/test";

import { LANGUAGES, type Language } from "../pages";
import { expectAccessible } from "../support/axe";
import { type Demo, startDemo } from "../support/demo";
import { hydrated } from "../support/hydration";
import { kubectl, type VmName, vmsOf } from "../support/kubectl";
import { CLUSTER } from "../support/places";
import { prefer } from "../support/preferences";
import { type Session, signIn, userOf } from "../support/session";
import { simulate } from "../support/simulator";
import { said } from "../support/words";

let demo: Demo;
let session: Session;

test.beforeAll(async ({ browser }) => {
  test.setTimeout(120_000);
  demo = await startDemo(["--still", "--vms", "20"]);
  const context = await browser.newContext({ baseURL: demo.url, javaScriptEnabled: false });
  await signIn(await context.newPage(), userOf(demo, "admin"));
  session = await context.storageState();
  await context.close();
});

test.afterAll(async () => {
  await demo?.stop();
});

for (const language of LANGUAGES) {
  test.describe(`in ${language}`, () => {
    test("the server is killed: a bar counts down, the rows stay and are said to be old; back again, all is live", async ({ browser }) => {
      test.setTimeout(180_000);
      await signedIn(browser, language, async (page) => {
        const stopped = (await vmsOf(demo.kubeconfigs[0]!)).find(({ status }) => status === "Stopped")!;
        await page.goto(`/vms?open=${encodeURIComponent(`${CLUSTER}/${stopped.namespace}/${stopped.name}`)}`);
        await live(page, language);
        const rows = await page.locator("#vms").getAttribute("aria-rowcount");
        const first = await page.locator("#vms-0").innerText();
        await notReloaded(page);
        await demo.crash();
        try {
          await test.step("the bar, with the moment and a count of seconds", async () => {
            await expect(bar(page)).toContainText(said(language, /连接断开，屏上是 \d\d:\d\d:\d\d 的样子/, /Connection lost\. This is as of \d\d:\d\d:\d\d/));
            await expect(bar(page), "it is read out").toHaveAttribute("role", "status");
            await counts(page, language);
          });
          await test.step("what is shown stays, marked as old", async () => {
            await expect(page.locator(".topbar .fresh")).toHaveAttribute("data-state", "away");
            await expect(page.locator(".topbar .fresh")).toContainText(said(language, "断开", "Cut off"));
            await expect(page.locator("#vms")).toHaveAttribute("aria-rowcount", rows!);
            expect(await page.locator("#vms-0").innerText()).toBe(first);
            await expectAccessible(page, ".topbar");
            await expectAccessible(page, ".reconnect");
          });
          await test.step("an act says that nothing was sent", async () => {
            await page.locator(".vms-drawer").getByRole("button", { name: said(language, "启动", "Start"), exact: true }).click();
            await expect(page.locator(".toast").last()).toContainText(said(language, "没有连上服务器，什么都没有发出", "the server was not reached, nothing was sent"));
            await expect(page.locator(".vms-drawer .state").first(), "nothing is pretended").toHaveText(said(language, "停止", "Stopped"));
          });
        } finally {
          await demo.resume();
        }
        await live(page, language);
        await expectLive(page, CLUSTER, demo.kubeconfigs[0]!, stopped);
        await expectNotReloaded(page);
      });
    });

    test("the network goes: the same bar, and all is live when it is back", async ({ browser }) => {
      test.setTimeout(180_000);
      await signedIn(browser, language, async (page, context) => {
        const [vm] = await vmsOf(demo.kubeconfigs[0]!);
        await page.goto("/vms");
        await live(page, language);
        await notReloaded(page);
        await context.setOffline(true);
        await expect(bar(page)).toContainText(said(language, "连接断开", "Connection lost"), { timeout: 30_000 });
        await expect(page.locator("#vms-0")).toBeVisible();
        await context.setOffline(false);
        await live(page, language);
        await expect(page.locator("#vms-0")).toBeVisible();
        await expectLive(page, CLUSTER, demo.kubeconfigs[0]!, vm!);
        await expectNotReloaded(page);
      });
    });

    test("a page that could not be fetched fills itself in when the network is back", async ({ browser }) => {
      test.setTimeout(120_000);
      await signedIn(browser, language, async (page, context) => {
        await page.goto("/vms");
        await live(page, language);
        await context.setOffline(true);
        await page.locator("#nav a[href='/clusters']").click();
        await expect(page.locator("main")).toContainText(said(language, "与服务器断开了", "No connection to the server"));
        await expect(page.locator("main")).toContainText(said(language, "网络恢复后自动补齐", "filled in when the network is back"));
        await expect(bar(page)).toContainText(said(language, "连接断开", "Connection lost"), { timeout: 30_000 });
        await context.setOffline(false);
        await live(page, language);
        await expect(page.locator("main tbody tr")).toHaveCount(2);
      });
    });

    for (const how of ["ends", "hangs"] as const) {
      test(`one cluster ${how}: its rows are marked with their age, the others live on`, async ({ browser }) => {
        test.setTimeout(240_000);
        const lab = `${how}-${language.toLowerCase().slice(0, 2)}`;
        const name = `试验 ${lab}`;
        const cluster = await simulate(said(language, 51, 52) + (how === "ends" ? 0 : 2), 4);
        try {
          await signedIn(browser, language, async (page) => {
            const [there] = await vmsOf(cluster.kubeconfig);
            const [here] = await vmsOf(demo.kubeconfigs[0]!);
            await register(page, lab, name, await readFile(cluster.kubeconfig, "utf8"));
            await page.goto("/vms");
            await live(page, language);
            await expect(rowOf(page, lab, there!)).toBeVisible();
            await expect(page.locator(".topbar .fresh")).toContainText(said(language, "3/3 集群", "3/3 clusters"));
            await notReloaded(page);
            if (how === "ends") await cluster.stop();
            else cluster.freeze();
            await test.step("its page says so, since when, and as of when it is", async () => {
              const its = await page.context().newPage();
              await its.goto(`/clusters/${lab}`);
              await hydrated(its);
              if (how === "hangs") await its.getByRole("button", { name: said(language, "重新读取", "Read again") }).click();
              await expect(its.locator("main")).toContainText(said(language, "失联", "Unreachable"), { timeout: 60_000 });
              await expect(its.locator("main")).toContainText(said(language, /集群连接不上.*自 \d\d:\d\d:\d\d/, /the cluster cannot be reached.*since \d\d:\d\d:\d\d/));
              await expect(its.locator("main")).toContainText(said(language, /截至 \d\d:\d\d:\d\d/, /as of \d\d:\d\d:\d\d/));
              await its.close();
            });
            await test.step("its rows are marked, and the foot says as of when", async () => {
              await expect(rowOf(page, lab, there!)).toHaveAttribute("data-away", "");
              await expect(page.locator("#vms tr[data-away]")).toHaveCount(4);
              await expect(page.locator(".strip .age")).toContainText(said(language, new RegExp(`${name}：截至 \\d\\d:\\d\\d:\\d\\d`), new RegExp(`${name}: as of \\d\\d:\\d\\d:\\d\\d`)));
              await expect(page.locator(".topbar .fresh")).toHaveAttribute("data-state", "partial");
              await expect(page.locator(".topbar .fresh")).toContainText(said(language, "2/3 集群", "2/3 clusters"));
              await expectAccessible(page, ".strip");
            });
            await test.step("the others live on, at once", async () => {
              await expect(bar(page)).toHaveCount(0);
              await expectLive(page, CLUSTER, demo.kubeconfigs[0]!, here!);
              await expect(rowOf(page, CLUSTER, here!)).not.toHaveAttribute("data-away");
            });
            if (how === "hangs") {
              cluster.thaw();
              await expect(page.locator("#vms tr[data-away]"), "it is back").toHaveCount(0, { timeout: 60_000 });
              await expect(page.locator(".strip .age")).toHaveCount(0);
              await expectLive(page, lab, cluster.kubeconfig, there!);
            }
            await expectNotReloaded(page);
            await remove(page, lab);
          });
        } finally {
          await cluster.stop();
        }
      });
    }
  });
}

const bar = (page: Page): Locator => page.locator(".reconnect");
const rowOf = (page: Page, cluster: string, { namespace, name }: VmName): Locator =>
  page.locator("#vms tbody:not([data-gap]) > tr", { has: page.locator(`td[data-col=name] a[href='/vms/${cluster}/${namespace}/${name}']`) });

/** A page of the administrator, in a context of its own. */
async function signedIn(browser: Browser, language: Language, act: (page: Page, context: BrowserContext) => Promise<void>): Promise<void> {
  const context = await browser.newContext({ baseURL: demo.url, storageState: session, viewport: { width: 1440, height: 900 } });
  try {
    await prefer(context, demo.url, { language, theme: "light" });
    await act(await context.newPage(), context);
  } finally {
    await context.close();
  }
}

/** No bar, and the top bar says that what is shown is live. */
async function live(page: Page, language: Language): Promise<void> {
  await hydrated(page);
  await expect(bar(page)).toHaveCount(0, { timeout: 40_000 });
  await expect(page.locator(".topbar .fresh")).toContainText(said(language, "实时", "Live"), { timeout: 40_000 });
  await expect(page.locator(".topbar .fresh")).not.toHaveAttribute("data-state", "away");
}

/** The bar counts seconds down. */
async function counts(page: Page, language: Language): Promise<void> {
  const left = async () => Number(said(language, /(\d+) 秒后重连/, /trying again in (\d+) s/).exec(await bar(page).innerText())?.[1] ?? 0);
  await expect.poll(left, { message: "seconds to the next try", timeout: 20_000 }).toBeGreaterThanOrEqual(3);
  const at = await left();
  // A tick may pass over a number.
  const isLess = async () => {
    const now = await left();
    return now > 0 && now < at;
  };
  await expect.poll(isLess, { message: `fewer than ${at}, a moment later`, timeout: 3_000, intervals: [100] }).toBe(true);
}

/** What kubectl changes at a VM shows in its row without the page being loaded again. */
async function expectLive(page: Page, cluster: string, kubeconfig: string, vm: VmName): Promise<void> {
  const owner = `E7${Math.floor(Math.random() * 9000 + 1000)}`;
  await kubectl(kubeconfig, "-n", vm.namespace, "label", "vm", vm.name, "--overwrite", `ops.example.com/owner=${owner}`);
  await expect(rowOf(page, cluster, vm)).toContainText(owner);
}

async function notReloaded(page: Page): Promise<void> {
  await page.evaluate(() => void ((window as unknown as { isTheSame: boolean }).isTheSame = true));
}

async function expectNotReloaded(page: Page): Promise<void> {
  expect(await page.evaluate(() => (window as unknown as { isTheSame?: boolean }).isTheSame), "the page was not loaded again").toBe(true);
}

async function register(page: Page, id: string, name: string, kubeconfig: string): Promise<void> {
  await page.goto("/clusters/new");
  await hydrated(page);
  await page.locator("#name").fill(name);
  await page.locator("#id").fill(id);
  await page.locator("#kubeconfig").fill(kubeconfig);
  await page.locator("main button[type=submit]").click();
  await page.waitForURL(`**/clusters/${id}`);
}

async function remove(page: Page, id: string): Promise<void> {
  await page.goto(`/clusters/${id}`);
  await hydrated(page);
  await page.locator("main button[data-kind=danger]").first().click();
  await page.locator("#remove-cluster-reason").fill("the test is over");
  await page.locator("#remove-cluster-name").fill(id);
  await page.locator("dialog[open] footer button").last().click();
  await page.waitForURL("**/clusters");
}
