/**
 * What a person does with a VM from its order to its end, told the same at whatever cluster it is.
 */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, type Page } from "@playwright/test";

import { expectAccessibleInBothThemes } from "./axe";
import { type Demo, program } from "./demo";
import { hydrated } from "./hydration";
import { valueOf, type VmName } from "./kubectl";
import { arrived, order } from "./places";
import { expectScreenIsTheGuests, fingerprint } from "./screen";

/** A cluster of the demo. */
export interface Where {
  /** Its id in the fleet. */
  cluster: string;
  /** By which kubectl reaches it. */
  kubeconfig: string;
  /** What of the portal's choice of places names it; the first one when not given. */
  place?: RegExp;
}

/** Orders a VM for a service; it arrives at the ledger's address. */
export async function deliver(page: Page, { kubeconfig, place }: Where, service: string, vm: VmName): Promise<void> {
  await order(page, service, place);
  await arrived(page);
  const ledger = (await page.getByTestId("ledger-address").innerText()).trim();
  const seen = await valueOf(kubeconfig, "vmi", vm, "{.status.interfaces[0].ipAddress}");
  expect(seen, "what the guest reports is what the ledger gave").toBe(ledger);
  await expectAccessibleInBothThemes(page);
}

/** Looks at its screen and types a key. */
export async function console_(page: Page, { kubeconfig, cluster }: Where, vm: VmName): Promise<void> {
  await page.goto(`/console/${cluster}/${vm.namespace}/${vm.name}`);
  const screen = page.locator("[data-testid=screen][data-state=connected]");
  await expect(screen).toBeVisible({ timeout: 30_000 });
  await expectScreenIsTheGuests(page, kubeconfig, vm);
  await expectAccessibleInBothThemes(page);
  const before = await fingerprint(page);
  await screen.focus();
  await page.keyboard.press("a");
  await expect.poll(() => fingerprint(page), { message: "the guest echoes what is typed" }).not.toBe(before);
  await expectScreenIsTheGuests(page, kubeconfig, vm);
}

/** Shuts it down. */
export async function stop(page: Page, { kubeconfig, cluster }: Where, vm: VmName): Promise<void> {
  await page.goto(`/vms/${cluster}/${vm.namespace}/${vm.name}`);
  await hydrated(page);
  await page.locator("main .buttons button[aria-haspopup=menu]").first().click();
  await page.getByRole("menuitem", { name: /^(关机|Shut down)$/ }).click();
  await page.locator("dialog[open] textarea").fill("CHG-20940");
  await page.locator("dialog[open] footer button").last().click();
  await expect.poll(() => valueOf(kubeconfig, "vm", vm, "{.status.printableStatus}"), { timeout: 60_000 }).toBe("Stopped");
  await expect(page.locator("main header .state, main .state").first()).toHaveText(/已停止|停止|Stopped/, { timeout: 10_000 });
}

/** Finds all of it in the trail, whose chain holds. */
export async function audit(page: Page, demo: Demo, vm: VmName): Promise<void> {
  await page.goto(`/audit?q=${vm.name}`);
  await hydrated(page);
  const rows = page.locator("main tbody tr");
  await expect(rows.filter({ hasText: /申请虚拟机|Order VM/ })).toHaveCount(1);
  await expect(rows.filter({ hasText: /打开控制台|Open console/ }).first()).toBeVisible();
  await expect(rows.filter({ hasText: /关机|Shut down/ })).toHaveCount(1);
  await page.locator("main button", { hasText: /校验|Verify/ }).click();
  await expect(page.locator(".audit-chain")).toContainText(/完整|intact|whole/i);
  await expectAccessibleInBothThemes(page);
  // The same, by the program on the server's console, which trusts no page.
  const config = path.join(demo.data, "verify.toml");
  await writeFile(config, `data = ${JSON.stringify(demo.data)}\n`);
  const { stdout } = await promisify(execFile)(program("harvester-admin", "HARVESTER_ADMIN"), ["audit", "verify", "--config", config]);
  expect(stdout).toMatch(/the chain holds: \d+ records/);
}
