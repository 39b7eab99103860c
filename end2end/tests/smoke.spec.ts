/**
 * What holds of the program as a whole; what holds of every page is in `pages.spec.ts`.
 */
import { hydrated } from "../support/hydration";
import { signIn, userOf } from "../support/session";
import { expect, test } from "../support/test";

test("who is not signed in is led to the form and back", async ({ page, demo }) => {
  await page.goto("/clusters?from=a-link");
  await expect(page).toHaveURL("/sign-in?next=%2Fclusters%3Ffrom%3Da-link");
  await signIn(page, userOf(demo, "viewer"), page.url());
  await expect(page).toHaveURL("/clusters?from=a-link");
  await hydrated(page);
  await expect(page.locator("main tbody tr")).toHaveCount(2);
});

test("a wrong password is told beside it, and the password is not kept", async ({ page }) => {
  await page.goto("/sign-in");
  await page.locator("input[name=login]").fill("admin");
  await page.locator("input[name=password]").fill("not-it");
  await page.locator("button[type=submit]").click();
  await expect(page).toHaveURL(/fault=invalid/);
  await expect(page.locator("#password")).toHaveAttribute("aria-invalid", "true");
  await expect(page.locator("#password")).toHaveValue("");
});

test.describe("signed in", () => {
  test.use({ role: "viewer" });

  test("the list has its first window of rows without scripts", async ({ browser, demo, sessions }) => {
    const scriptless = await browser.newContext({ javaScriptEnabled: false, baseURL: demo.url, storageState: sessions.viewer });
    const page = await scriptless.newPage();
    await page.goto("/vms");
    const rows = page.locator("#vms tbody:not([data-gap]) > tr");
    expect(await rows.count(), "what a screen shows").toBeGreaterThanOrEqual(30);
    await expect(rows.first().locator("td[data-col=name] a")).toHaveAttribute("href", /^\/vms\//);
    await expect(page.locator("#vms")).toHaveAttribute("aria-rowcount", /^3\d\d$/);
    await scriptless.close();
  });

  test("signing out ends the session, not only in this browser", async ({ browser, demo, page }) => {
    // A session of its own: those of the other tests are needed.
    await page.context().clearCookies();
    await signIn(page, userOf(demo, "viewer"));
    const kept = await page.context().storageState();
    await page.locator("summary.me").click();
    await page.locator("form[action='/sign-out'] button").click();
    await expect(page).toHaveURL("/sign-in");
    const again = await browser.newContext({ baseURL: demo.url, storageState: kept });
    const stale = await again.newPage();
    await stale.goto("/vms");
    await expect(stale).toHaveURL(/\/sign-in\?next=/);
    await again.close();
  });
});

test("files of a build are kept for ever, pages are not", async ({ page, request }) => {
  const files = page.waitForResponse((response) => response.url().endsWith(".wasm"));
  const answer = await page.goto("/");
  expect(answer?.headers()["cache-control"] ?? "").not.toContain("immutable");
  const wasm = await files;
  expect(wasm.headers()["cache-control"]).toContain("immutable");
  expect(wasm.headers()["content-type"]).toBe("application/wasm");
  const missing = await request.get(wasm.url().replace(".wasm", ".missing"));
  expect(missing.status()).toBe(404);
  expect(missing.headers()["cache-control"] ?? "").not.toContain("immutable");
  await hydrated(page);
});

test("every answer forbids what it does not need", async ({ request }) => {
  const page = await request.get("/");
  expect(page.headers()["content-security-policy"]).toContain("script-src 'self' 'nonce-");
  expect(page.headers()["content-security-policy"]).not.toContain("unsafe-inline");
  const missing = await request.get("/pkg/none");
  expect(missing.headers()["content-security-policy"]).toContain("default-src 'none'");
  expect(missing.headers()["x-content-type-options"]).toBe("nosniff");
});
