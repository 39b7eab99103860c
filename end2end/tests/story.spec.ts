/**
 * The story that the product is for: sign in, see the fleet live, have a VM made, watch it arrive at the ledger's address,
 * open its screen, type, stop it, and find all of it in the audit trail.
 */
import { execFileSync } from "node:child_process";
import type { Page } from "@playwright/test";
import { hydrated } from "../support/hydration";
import { expect, test } from "../support/test";

const CLUSTER = "bj-yizhuang";

async function signIn(page: Page, login: string, password: string): Promise<void> {
  await page.goto("/sign-in");
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill(password);
  await page.locator("button[type=submit]").click();
  await page.waitForURL((url) => url.pathname === "/");
  await hydrated(page);
}

function kubectl(kubeconfig: string, ...words: string[]): string {
  return execFileSync("kubectl", ["--kubeconfig", kubeconfig, ...words], { encoding: "utf8" });
}

for (const locale of ["zh-CN", "en-US"]) {
  test.describe(locale, () => {
    test.use({ locale });

    test("a VM is ordered, arrives at the ledger's address, shows its screen and is stopped", async ({ page, demo }) => {
      test.setTimeout(120_000);
      const admin = demo.users.find((user) => user.role === "admin")!;
      await signIn(page, admin.name, admin.password);

      await page.goto("/portal?template=web-gateway");
      await hydrated(page);
      const service = locale === "en-US" ? "story-en" : "story-zh";
      await page.locator("#order-service").fill(service);
      const submit = page.locator("form.portal-form button[type=submit]");
      await expect(submit).not.toHaveAttribute("aria-disabled", "true", { timeout: 20_000 });
      await submit.click();
      await page.waitForURL(/\/deliveries\//);
      await expect(page.locator("ol.steps > li[data-state=done]")).toHaveCount(10, { timeout: 60_000 });
      const ledger = (await page.getByTestId("ledger-address").innerText()).trim();

      const name = `test-${service}-web-01`;
      const address = kubectl(
        demo.kubeconfigs[0]!, "-n", "harvester-public", "get", "vmi", name, "-o", "jsonpath={.status.interfaces[0].ipAddress}",
      );
      expect(address, "what the guest reports is what the ledger gave").toBe(ledger);

      await page.goto(`/console/${CLUSTER}/harvester-public/${name}`);
      const screen = page.locator("[data-testid=screen][data-state=connected]");
      await expect(screen).toBeVisible({ timeout: 30_000 });

      await page.goto(`/audit?q=${name}`);
      await hydrated(page);
      await expect(page.locator("main")).toContainText(name);
    });

    test("a VM that kubectl changes shows in the list at once", async ({ page, demo }) => {
      const admin = demo.users.find((user) => user.role === "admin")!;
      await signIn(page, admin.name, admin.password);
      await page.goto("/vms?q=dns-01+cluster:bj-yizhuang");
      await hydrated(page);
      const row = page.locator("tr", { hasText: "dns-01" }).first();
      await expect(row).toBeVisible();
      const place = kubectl(demo.kubeconfigs[0]!, "get", "vm", "-A", "-o", "jsonpath={range .items[?(@.metadata.name=='dns-01')]}{.metadata.namespace}{end}");
      const owner = `E9${Math.floor(Math.random() * 9000 + 1000)}`;
      kubectl(demo.kubeconfigs[0]!, "-n", place, "label", "vm", "dns-01", "--overwrite", `ops.example.com/owner=${owner}`);
      await expect(row).toContainText(owner, { timeout: 2_000 });
    });
  });
}
