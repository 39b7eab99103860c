/**
 * The demo's objects that pages are about: some are looked up by kubectl, one VM is ordered through the portal.
 */
import { type Browser, expect, type Page } from "@playwright/test";

import type { Places } from "../pages";
import type { Demo } from "./demo";
import { hydrated } from "./hydration";
import { vmsOf } from "./kubectl";
import type { Sessions } from "./session";

/** The first simulated cluster of the demo. */
export const CLUSTER = "bj-yizhuang";

/** Looks them up; orders a VM, and waits until it is delivered. */
export async function findPlaces(browser: Browser, demo: Demo, sessions: Sessions): Promise<Places> {
  const vms = (await vmsOf(demo.kubeconfigs[0]!)).filter(({ environment }) => environment !== "prod");
  const one = (status: string) => {
    const vm = vms.find((vm) => vm.status === status);
    if (vm === undefined) throw new Error(`no VM of the demo is ${status}`);
    return `${CLUSTER}/${vm.namespace}/${vm.name}`;
  };
  const context = await browser.newContext({ baseURL: demo.url, storageState: sessions.admin });
  const page = await context.newPage();
  const delivery = await order(page, "places");
  await arrived(page);
  const delivered = (await page.locator("main a[href^='/vms/']").first().getAttribute("href"))!.replace("/vms/", "");
  await page.goto("/addresses");
  const subnet = (await page.locator("main tbody a[href^='/addresses/']").first().getAttribute("href"))!.replace("/addresses/", "");
  await context.close();
  return { cluster: CLUSTER, vm: one("Running"), stopped: one("Stopped"), delivered, delivery, subnet };
}

/** Orders the smallest web gateway for `service`, in the first place or that of this name; ends on its parcel page and gives the delivery's id. */
export async function order(page: Page, service: string, place?: RegExp): Promise<string> {
  await page.goto("/portal?template=web-gateway");
  await hydrated(page);
  await page.locator("#order-service").fill(service);
  if (place !== undefined) {
    const name = await page.locator("#order-place option").filter({ hasText: place }).first().innerText();
    await page.locator("#order-place").selectOption({ label: name });
  }
  const submit = page.locator("form.portal-form button[type=submit]");
  // It may be pressed once the cluster has rehearsed the order.
  await expect(submit).not.toHaveAttribute("aria-disabled", "true", { timeout: 20_000 });
  await submit.click();
  await page.waitForURL(/\/deliveries\//);
  return new URL(page.url()).pathname.replace("/deliveries/", "");
}

/** Waits until every step of the parcel page is done. */
export async function arrived(page: Page): Promise<void> {
  await expect(page.locator("ol.steps > li").first()).toBeVisible();
  await expect(page.locator("ol.steps > li:not([data-state=done])")).toHaveCount(0, { timeout: 60_000 });
}
