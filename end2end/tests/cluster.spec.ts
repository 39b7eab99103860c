/**
 * The page of a cluster goes with the cluster: what somebody does to a host shows by itself, and whoever reads it stays where
 * they are.
 */
import { hydrated } from "../support/hydration";
import { kubectl } from "../support/kubectl";
import { CLUSTER } from "../support/places";
import { expect, test } from "../support/shared";

test.use({ role: "viewer", language: "zh-CN" });

test("a host that is cordoned by kubectl shows so within two seconds, under the same focus", async ({ page, demo }) => {
  const kubeconfig = demo.kubeconfigs[0]!;
  const host = (await kubectl(kubeconfig, "get", "nodes", "-o", "jsonpath={.items[0].metadata.name}")).trim();
  await page.goto(`/clusters/${CLUSTER}`);
  await hydrated(page);
  const row = page.locator("main tbody tr").filter({ hasText: host });
  await expect(row).toContainText("就绪");
  const link = row.getByRole("link");
  await link.focus();
  try {
    await kubectl(kubeconfig, "cordon", host);
    await expect(row).toContainText("已隔离", { timeout: 2_000 });
    await expect(link).toBeFocused();
  } finally {
    await kubectl(kubeconfig, "uncordon", host);
  }
  await expect(row).toContainText("就绪", { timeout: 2_000 });
  await expect(link).toBeFocused();
});
