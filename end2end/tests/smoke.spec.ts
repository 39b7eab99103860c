import { PAGES } from "../pages";
import { expectAccessible } from "../support/axe";
import { expectSameAfterHydration, hydrated } from "../support/hydration";
import { expect, test } from "../support/test";

test("the first page reacts in the browser", async ({ page }) => {
  await page.goto("/");
  await hydrated(page);
  await expect(page.locator("h1")).toBeVisible();
});

test("a page without scripts says the same as one with them", async ({ page, browser, demo }) => {
  const scriptless = await browser.newContext({ javaScriptEnabled: false, baseURL: demo.url });
  const plain = await scriptless.newPage();
  await plain.goto("/");
  await page.goto("/");
  await hydrated(page);
  expect(await plain.locator("main").innerText()).toBe(await page.locator("main").innerText());
  await scriptless.close();
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

for (const entry of PAGES.filter(({ role }) => role === undefined)) {
  test(`${entry.name}: the browser renders what the server did`, async ({ page }) => {
    await expectSameAfterHydration(page, entry.path);
  });

  test(`${entry.name}: is accessible as far as a machine can tell`, async ({ page }) => {
    await page.goto(entry.path);
    await hydrated(page);
    await expectAccessible(page);
  });
}
