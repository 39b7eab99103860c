/**
 * The story of the slice at upstream's own Kubernetes and KubeVirt: ordered, running at its address, its screen, a key, a live
 * migration by virtctl that is seen as it goes, stopped, and the trail of it. The cluster is registered with the account that
 * has the roles which the product offers.
 *
 * It runs where `HARVESTER_WITNESS` names the `witness.json` of a running witness (`end2end/witness/README.md`).
 */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

import { type Demo, startDemo } from "../support/demo";
import { hydrated } from "../support/hydration";
import { valueOf } from "../support/kubectl";
import { audit, console_, deliver, stop } from "../support/story";
import { expect, test as base } from "../support/test";

const WITNESS = process.env.HARVESTER_WITNESS;
/** Its id in the demo's fleet; `server/src/demo/witness.rs`. */
const CLUSTER = "witness";

const test = base.extend<object, { demo: Demo }>({
  demo: [
    async ({}, use) => {
      const demo = await startDemo(["--still", "--witness", WITNESS!]);
      await use(demo);
      await demo.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
});

test.skip(WITNESS === undefined, "HARVESTER_WITNESS names no witness.json");
test.use({ role: "admin", language: "zh-CN" });

test("the story holds at upstream's own programs", async ({ page, demo }) => {
  test.setTimeout(400_000);
  const about = JSON.parse(await readFile(WITNESS!, "utf8")) as { admin: string; programs: string };
  const here = { cluster: CLUSTER, kubeconfig: about.admin, place: /见证/ };
  const vm = { namespace: "harvester-public", name: "test-witness-web-01" };
  await test.step("a VM is ordered and arrives at the ledger's address", () => deliver(page, here, "witness", vm));
  await test.step("its console shows the guest's screen, and takes a key", () => console_(page, here, vm));
  await test.step("virtctl moves it, and the page shows it as it goes", async () => {
    await page.goto(`/vms/${CLUSTER}/${vm.namespace}/${vm.name}`);
    await hydrated(page);
    const source = await valueOf(about.admin, "vmi", vm, "{.status.nodeName}");
    const shown = page.locator(".vm-facts").getByText(source, { exact: true });
    await expect(shown).toBeVisible();
    const words = ["--kubeconfig", about.admin, "--namespace", vm.namespace, "migrate", vm.name];
    await promisify(execFile)(path.join(about.programs, "virtctl"), words);
    await expect(page.locator("main .state").first()).toHaveText("迁移中", { timeout: 30_000 });
    await expect(page.locator("main .state").first()).toHaveText("运行", { timeout: 60_000 });
    const target = await valueOf(about.admin, "vmi", vm, "{.status.nodeName}");
    expect(target).not.toBe(source);
    await expect(page.locator(".vm-facts").getByText(target, { exact: true })).toBeVisible();
  });
  await test.step("it is stopped", () => stop(page, here, vm));
  await test.step("the trail tells it all, and its chain holds", () => audit(page, demo, vm));
});
