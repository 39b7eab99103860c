/**
 * The address ledger by its pages: subnets of both families, what a form refuses and where it says so, the map by
 * keyboard, an address from free to reserved to quarantine, and one that a delivery took.
 */
import type { Locator, Page } from "@playwright/test";

import { LANGUAGES, type Language } from "../pages";
import { expectAccessible } from "../support/axe";
import { hydrated } from "../support/hydration";
import { expect, test } from "../support/shared";
import { said } from "../support/words";

/** Networks of documentation and of nobody: one of each family a language, so that the tests do not meet. */
const NETWORKS = {
  "zh-CN": { v4: "10.77.1", v6: "2001:db8:77:1::/64", name: "测试网段甲" },
  en: { v4: "10.77.2", v6: "2001:db8:77:2::/64", name: "Lab segment B" },
} satisfies Record<Language, object>;

// The browser says by itself that an answer was a refusal.
test.use({ expectedErrors: [/Failed to load resource: the server responded with a status of 422/] });

for (const language of LANGUAGES) {
  test.describe(`in ${language}`, () => {
    test.use({ role: "operator", language });
    const { v4, v6, name } = NETWORKS[language];

    test("what is wrong with a subnet stands at its field, and nothing typed is lost", async ({ page }) => {
      await openForm(page);
      await fill(page, { name, cidr: `${v4}.0/24`, gateway: `${v4}.1`, dns: "10.20.0.53", vlan: "120" });
      await refused(page, "cidr", "hello", said(language, "写成 10.20.0.0/24", "write it as 10.20.0.0/24"));
      await refused(page, "cidr", `${v4}.0/40`, said(language, "前缀长度应在 1 到 32 之间", "the prefix length is between 1 and 32"));
      await refused(page, "cidr", `${v4}.7/24`, said(language, `是不是 ${v4}.0/24`, `did you mean ${v4}.0/24`));
      await refused(page, "cidr", "10.20.0.0/16", said(language, "与 亦庄生产业务（10.20.240.0/24）重叠", "it overlaps with 亦庄生产业务 (10.20.240.0/24)"), { gateway: "" });
      await refused(page, "cidr", "2001:db8:20::/48", said(language, "重叠", "it overlaps with"), { gateway: "" });
      await refused(page, "gateway", "10.99.0.1", said(language, "网关应是", "the gateway is a host address of"), { cidr: `${v4}.0/24` });
      await refused(page, "gateway", `${v4}.255`, said(language, "网关应是", "the gateway is a host address of"));
      await refused(page, "vlan", "4095", said(language, "VLAN 为 1 到 4094", "a VLAN is 1 to 4094"), { gateway: `${v4}.1` });
      await refused(page, "vlan", "abc", said(language, "VLAN 为 1 到 4094", "a VLAN is 1 to 4094"));
      await refused(page, "dns", "ns1", said(language, "“ns1”不是地址", "“ns1” is not an address"), { vlan: "120" });
      await refused(page, "ranges", `static ${v4}.10-10.99.0.20`, said(language, `不在 ${v4}.0/24 里`, `is not inside ${v4}.0/24`), { dns: "10.20.0.53" });
      await refused(page, "ranges", `static ${v4}.90-${v4}.10`, said(language, `${v4}.90 在 ${v4}.10 之后`, `${v4}.90 comes after ${v4}.10`));
      await refused(page, "ranges", `statik ${v4}.10-${v4}.20`, said(language, "读不懂", "cannot be read"));
      await expectAccessible(page, "main");
      for (const [field, value] of [["name", name], ["cidr", `${v4}.0/24`], ["gateway", `${v4}.1`], ["dns", "10.20.0.53"], ["vlan", "120"]] as const) {
        await expect(input(page, field), `${field} is kept`).toHaveValue(value);
      }
      // What was wrong is mended: the sentence goes with it.
      await input(page, "ranges").fill(`static ${v4}.10-${v4}.99\nreserved ${v4}.20-${v4}.29 ${name}`);
      await submit(page);
      await page.waitForURL(/\/addresses\/(?!new)/);
      await expect(page.locator("h1")).toContainText(name);
      await expect(page.locator(".page-head code").first()).toHaveText(`${v4}.0/24`);
    });

    test("the map by keyboard, an address from free to quarantine", async ({ page }) => {
      test.setTimeout(120_000);
      await openSubnet(page, name);
      const map = page.locator(".map");
      await expect(map.locator("button")).toHaveCount(256);
      await test.step("ranges and gateway are seen on it", async () => {
        const states = { 0: "forbidden", 1: "gateway", 5: "forbidden", 10: "free", 20: "reserved", 99: "free", 100: "forbidden", 255: "forbidden" };
        for (const [at, state] of Object.entries(states)) await expect(square(page, `${v4}.${at}`), `${v4}.${at}`).toHaveAttribute("data-state", state);
      });
      await test.step("one stop for Tab, arrows move in it, the card follows", async () => {
        await expect(map.locator("button[tabindex='0']")).toHaveCount(1);
        await map.locator("button[tabindex='0']").focus();
        await page.keyboard.press("ArrowRight");
        await expect(square(page, `${v4}.1`)).toBeFocused();
        await page.keyboard.press("ArrowDown");
        await expect(square(page, `${v4}.17`)).toBeFocused();
        await page.keyboard.press("End");
        await expect(square(page, `${v4}.31`)).toBeFocused();
        await page.keyboard.press("ArrowUp");
        await page.keyboard.press("Home");
        await expect(square(page, `${v4}.0`)).toBeFocused();
        for (let n = 0; n < 3; n++) await page.keyboard.press("ArrowRight");
        for (let n = 0; n < 2; n++) await page.keyboard.press("ArrowDown");
        await expect(square(page, `${v4}.35`)).toBeFocused();
        await expect(card(page)).toContainText(`${v4}.35`);
        await expect(card(page)).toContainText(said(language, "空闲", "Free"));
        await expect(map.locator("button[tabindex='0']"), "where one was is where Tab comes back to").toHaveAttribute("aria-label", new RegExp(`^${v4}\\.35 `));
      });
      await test.step("it is reserved, with what it is for", async () => {
        await act(page, said(language, "保留…", "Reserve…"), language, "reserve", said(language, "打印机 二楼", "printer, second floor"));
        // Held by what no cluster reports: drawn as one that is off.
        await expect(square(page, `${v4}.35`)).toHaveAttribute("data-state", "off");
        await square(page, `${v4}.35`).hover();
        await expect(card(page)).toContainText(said(language, "打印机 二楼", "printer, second floor"));
        await expect(square(page, `${v4}.35`)).toHaveAccessibleName(`${v4}.35 ${said(language, "已分配", "Held")}`);
        await expect(button(page, said(language, "保留…", "Reserve…"))).toHaveAttribute("aria-disabled", "true");
      });
      await test.step("it is released into quarantine, and rests there", async () => {
        await act(page, said(language, "释放…", "Release…"), language, "release", "CHG-20940");
        await expect(square(page, `${v4}.35`)).toHaveAttribute("data-state", "quarantine");
        await square(page, `${v4}.35`).hover();
        await expect(card(page)).toContainText(said(language, "隔离期", "Quarantined"));
        await expect(card(page)).toContainText(said(language, "到", "Until"));
        const reserve = button(page, said(language, "保留…", "Reserve…"));
        await expect(reserve).toHaveAttribute("aria-disabled", "true");
        await expect(reserve).toHaveAccessibleDescription(said(language, "只有空闲的地址可以保留", "Only a free address can be reserved"));
      });
      await expectAccessible(page, "main");
      await page.goto("/addresses");
      await expect(page.locator("main tbody tr", { hasText: name }).locator("td").last()).toHaveText("1");
    });

    test("a subnet of IPv6 is made, and its map shows its first block", async ({ page }) => {
      await openForm(page);
      const gateway = v6.replace("/64", "1");
      await fill(page, { name: `${name} IPv6`, cidr: v6, gateway: "10.77.1.1" });
      await submit(page);
      await expect(word(page, "gateway")).toContainText(said(language, "网关应是", "the gateway is a host address of"));
      await fill(page, { gateway });
      await submit(page);
      await page.waitForURL(/\/addresses\/(?!new)/);
      await expect(page.locator(".page-head code").first()).toHaveText(v6);
      await expect(page.locator(".map button")).toHaveCount(256);
      await expect(square(page, gateway)).toHaveAttribute("data-state", "gateway");
      await expect(square(page, v6.replace("/64", "2"))).toHaveAttribute("data-state", "free");
      await page.getByRole("link", { name: said(language, "下一块", "Next block") }).click();
      await expect(page).toHaveURL(/block=1/);
      await expect(square(page, v6.replace("/64", "100"))).toHaveAttribute("data-state", "free");
    });
  });
}

test.describe("an address that a delivery took", () => {
  test.use({ role: "operator", language: "en" });

  test("is the VM's on the map, and is not released while the VM uses it", async ({ page, places }) => {
    test.setTimeout(180_000);
    await page.goto(`/deliveries/${places.delivery}`);
    const address = (await page.getByTestId("ledger-address").innerText()).trim();
    await page.goto("/addresses");
    await hydrated(page);
    const rows = await page.locator("main tbody tr").evaluateAll((rows) =>
      rows.map((row) => ({ href: row.querySelector("a")!.getAttribute("href")!, cidr: row.querySelector("code")!.textContent! })),
    );
    const subnet = rows.find(({ cidr }) => contains(cidr, address));
    expect(subnet, `the subnet of ${address}`).toBeDefined();
    const block = Math.floor((number(address) - number(subnet!.cidr.split("/")[0]!)) / 256);
    await page.goto(`${subnet!.href}?block=${block}`);
    await hydrated(page);
    await expect(square(page, address)).toHaveAttribute("data-state", "used");
    await square(page, address).focus();
    const name = places.delivered.split("/")[2]!;
    await expect(card(page).getByRole("link", { name }), "ledger and observed").toHaveCount(2);
    await button(page, "Release…").click();
    await page.locator("#release textarea").fill("a mistake");
    await page.locator("#release footer button").last().click();
    await expect(page.locator("#release")).toContainText("is using it, change the VM first");
    await page.locator("#release").getByRole("button", { name: "Cancel" }).click();
    await expect(page.locator("#release")).not.toBeVisible();
    await expect(square(page, address)).toHaveAttribute("data-state", "used");
  });
});

type FieldName = "name" | "cidr" | "gateway" | "vlan" | "dns" | "search" | "ranges";

const input = (page: Page, field: FieldName): Locator => page.locator(`#subnet-${field}`);
const word = (page: Page, field: FieldName): Locator => page.locator(`#subnet-${field}-word`);
const card = (page: Page): Locator => page.locator(".subnet-side section").first();
const button = (page: Page, name: string): Locator => page.getByRole("button", { name, exact: true });
const square = (page: Page, address: string): Locator => page.locator(`.map button[aria-label^="${address} "]`);
const submit = (page: Page): Promise<void> => page.locator("main form button[type=submit]").click();

async function openForm(page: Page): Promise<void> {
  await page.goto("/addresses/new");
  await hydrated(page);
}

async function openSubnet(page: Page, name: string): Promise<void> {
  await page.goto("/addresses");
  await page.locator("main tbody a", { hasText: new RegExp(`^${name}$`) }).click();
  await page.waitForURL(/\/addresses\/(?!new)/);
  await hydrated(page);
}

async function fill(page: Page, values: Partial<Record<FieldName, string>>): Promise<void> {
  for (const [field, value] of Object.entries(values)) await input(page, field as FieldName).fill(value);
}

/** Types what is wrong, sends it, and expects `sentence` at the field and at no other. */
async function refused(page: Page, field: FieldName, value: string, sentence: string, others: Partial<Record<FieldName, string>> = {}): Promise<void> {
  await fill(page, { ...others, [field]: value });
  await submit(page);
  await expect(word(page, field), `${field}: ${value}`).toContainText(sentence);
  await expect(input(page, field)).toHaveAttribute("aria-invalid", "true");
  await expect(page.locator("main form [aria-invalid=true]"), "no other field is blamed").toHaveCount(1);
  await expect(page, "it was not made").toHaveURL("/addresses/new");
}

/** Presses a button of the card, answers why, and waits until it was done. */
async function act(page: Page, name: string, language: Language, dialog: string, reason: string): Promise<void> {
  await button(page, name).click();
  const confirm = page.locator(`#${dialog} footer button`).last();
  await expect(confirm, "it asks why").toHaveAttribute("aria-disabled", "true");
  await page.locator(`#${dialog} textarea`).fill(reason);
  await confirm.click();
  await expect(page.locator(`#${dialog}`)).not.toBeVisible();
  await expect(page.locator(".toast").last()).toContainText(said(language, dialog === "reserve" ? "已保留" : "已释放", dialog === "reserve" ? "is reserved" : "was released"));
}

function number(address: string): number {
  return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function contains(cidr: string, address: string): boolean {
  const [network, prefix] = cidr.split("/") as [string, string];
  if (network.includes(":")) return false;
  const size = 2 ** (32 - Number(prefix));
  return Math.floor(number(network) / size) === Math.floor(number(address) / size);
}
