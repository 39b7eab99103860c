/**
 * What a person does at a console, and what of it reaches the guest: keys and combinations, pointer and wheel, pasted
 * text, the serial line; and what they are told when the VM stops or somebody else looks.
 *
 * What reaches the guest is read twice: on the wire (`support/rfb.ts`) and on the guest's own screen.
 */
import { existsSync } from "node:fs";
import type { BrowserContext, Locator, Page } from "@playwright/test";

import { LANGUAGES, type Language, type Places } from "../pages";
import { expectAccessible } from "../support/axe";
import { kubectl, valueOf, type VmName } from "../support/kubectl";
import { prefer } from "../support/preferences";
import { followConsole, KEYSYM, type Sent } from "../support/rfb";
import { expectScreenIsTheGuests, fingerprint } from "../support/screen";
import { expect, test } from "../support/shared";
import { said } from "../support/words";

/** Only a guest that is a machine restarts at Ctrl+Alt+Delete; where there is no QEMU the simulator draws a terminal. */
const IS_MACHINE = existsSync("/usr/bin/qemu-system-x86_64");

// The browser says by itself that a ticket for a VM that does not run was refused.
test.use({ role: "operator", language: "en", expectedErrors: [/status of 422 .*\/ask_ticket/] });

test("keys, combinations, pointer, wheel and pasted text reach the guest", async ({ page, demo, places }) => {
  test.setTimeout(120_000);
  const sent = followConsole(page);
  const screen = await open(page, places);

  await test.step("a key goes down and up", async () => {
    const fresh = await fingerprint(page);
    await screen.focus();
    await page.keyboard.type("ab");
    await expect.poll(() => keys(sent)).toEqual([...stroke("a"), ...stroke("b")]);
    await expect.poll(() => fingerprint(page), "the guest echoes").not.toBe(fresh);
  });

  await test.step("Ctrl+Alt+Enter leads out of what takes every key, to the toolbar", async () => {
    await page.keyboard.press("Control+Alt+Enter");
    await expect(page.locator("#console-bar button").first()).toBeFocused();
    await expect(page.locator("#console-bar")).toBeInViewport();
    const held = keys(sent).filter(({ keysym }) => keysym === KEYSYM.Control || keysym === KEYSYM.Alt);
    expect(held.filter(({ down }) => down).length, "what went down came up").toBe(held.filter(({ down }) => !down).length);
  });

  await test.step("Ctrl+Alt+Delete from its menu, and the guest restarts", async () => {
    const typed = await fingerprint(page);
    sent.keys.length = 0;
    await page.keyboard.press("ArrowDown");
    const item = page.getByRole("menuitem", { name: "Ctrl + Alt + Delete" });
    await expect(item).toBeFocused();
    await page.keyboard.press("Enter");
    const [ctrl, alt, del] = [KEYSYM.Control, KEYSYM.Alt, KEYSYM.Delete];
    const down = (keysym: number) => ({ down: true, keysym });
    const up = (keysym: number) => ({ down: false, keysym });
    await expect.poll(() => keys(sent).slice(0, 6)).toEqual([down(ctrl), down(alt), down(del), up(del), up(alt), up(ctrl)]);
    await expect(screen, "the keyboard is the guest's again").toBeFocused();
    if (IS_MACHINE) await expect.poll(() => fingerprint(page), { message: "what was typed is gone", timeout: 20_000 }).not.toBe(typed);
  });

  await test.step("the pointer is where the guest sees it, whole or in its own size", async () => {
    await pinBar(page, "en");
    for (const isFit of [true, false]) {
      await expect(fitButton(page, "en")).toHaveAttribute("aria-pressed", `${isFit}`);
      const size = await screen.evaluate((canvas: HTMLCanvasElement) => ({ width: canvas.width, height: canvas.height }));
      const box = (await screen.boundingBox())!;
      if (isFit) expect(box, "as large as the window").toEqual({ x: 0, y: 0, width: 1440, height: 900 });
      else expect(box, "pixel by pixel").toMatchObject(size);
      sent.pointers.length = 0;
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.down();
      await page.mouse.up();
      await expect.poll(() => sent.pointers.map(({ buttons }) => buttons)).toEqual(expect.arrayContaining([0, 1, 0]));
      const at = sent.pointers.at(-1)!;
      expect(Math.abs(at.x - size.width / 2), "across").toBeLessThanOrEqual(1);
      expect(Math.abs(at.y - size.height / 2), "down").toBeLessThanOrEqual(1);
      await fitButton(page, "en").click();
    }
    await expect(fitButton(page, "en")).toHaveAttribute("aria-pressed", "true");
  });

  await test.step("the wheel is turned by notches, and the page does not scroll", async () => {
    await page.mouse.move(720, 450);
    sent.pointers.length = 0;
    await page.mouse.wheel(0, 100);
    await expect.poll(() => sent.pointers.map(({ buttons }) => buttons)).toEqual([16, 0, 16, 0]);
    sent.pointers.length = 0;
    await page.mouse.wheel(0, -50);
    await expect.poll(() => sent.pointers.map(({ buttons }) => buttons)).toEqual([8, 0]);
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
    sent.pointers.length = 0;
    await page.mouse.wheel(0, 100_000);
    await expect.poll(() => sent.pointers.length).toBeGreaterThan(0);
    expect(sent.pointers.length, "a flick does not flood the guest").toBeLessThanOrEqual(16);
    await expect(screen).toHaveAttribute("data-state", "connected");
  });

  await test.step("a pasted text is typed; what no key types is named", async () => {
    await page.getByRole("button", { name: "Paste as typing" }).click();
    const panel = page.getByRole("region", { name: "Paste as typing" });
    await panel.getByRole("textbox").fill("Hi! 中\n");
    await expect(panel.locator("mark")).toHaveText("中");
    await expect(panel).toContainText("1 character cannot be typed");
    await expectAccessible(page, "main");
    sent.keys.length = 0;
    await panel.getByRole("button", { name: "Skip them and type" }).click();
    const shift = (is: boolean) => ({ down: is, keysym: KEYSYM.Shift });
    const typed = [shift(true), ...stroke("H"), shift(false), ...stroke("i"), shift(true), ...stroke("!"), shift(false), ...stroke(" ")];
    await expect.poll(() => keys(sent)).toEqual([...typed, { down: true, keysym: KEYSYM.Enter }, { down: false, keysym: KEYSYM.Enter }]);
    await panel.getByRole("textbox").press("Escape");
    await expect(panel).toHaveCount(0);
    await expect(screen).toBeFocused();
  });

  await test.step("view only: nothing is sent", async () => {
    const viewOnly = page.getByRole("button", { name: "View only" });
    await viewOnly.click();
    await expect(viewOnly).toHaveAttribute("aria-pressed", "true");
    sent.keys.length = sent.pointers.length = 0;
    await screen.focus();
    await page.keyboard.type("zz");
    await page.mouse.move(300, 300);
    await page.mouse.wheel(0, 200);
    await viewOnly.click();
    await screen.focus();
    await page.keyboard.type("c");
    await expect.poll(() => keys(sent), "only what was typed after").toEqual(stroke("c"));
  });
  await expectScreenIsTheGuests(page, demo.kubeconfigs[0]!, vmOf(places));
});

for (const language of LANGUAGES) {
  test.describe(`in ${language}`, () => {
    test.use({ language });

    test("full screen is a button that stays down, and knows when the browser left it", async ({ page, places }) => {
      await open(page, places);
      await pinBar(page, language);
      const full = page.getByRole("button", { name: said(language, "全屏", "Full screen") });
      await expect(full).toHaveAttribute("aria-pressed", "false");
      await full.click();
      await expect(full).toHaveAttribute("aria-pressed", "true");
      expect(await page.evaluate(() => document.fullscreenElement === document.documentElement)).toBe(true);
      await full.click();
      await expect(full).toHaveAttribute("aria-pressed", "false");
      await full.click();
      await expect(full).toHaveAttribute("aria-pressed", "true");
      await page.evaluate(() => document.exitFullscreen());
      await expect(full, "left without us").toHaveAttribute("aria-pressed", "false");
    });

    test("a VM that stops is told with its reason, and looked at again when it runs", async ({ page, demo, places }) => {
      test.setTimeout(180_000);
      const [kubeconfig, vm] = [demo.kubeconfigs[0]!, vmOf(places)];
      const screen = await open(page, places);
      try {
        await run(kubeconfig, vm, "Halted");
        await expect(screen).toHaveAttribute("data-state", /waiting|ended/, { timeout: 30_000 });
        const card = page.locator(".console-card");
        await expect(card).toContainText(said(language, "虚拟机没有运行，没有屏幕可看", "the VM does not run, there is no screen"), { timeout: 30_000 });
        await expect(card).toContainText(said(language, /\d+ 秒后重连/, /trying again in \d+ s/));
        await expect(page.locator(".console-state"), "it is read out").toHaveAttribute("role", "status");
        await expectAccessible(page, "main");
        const again = card.getByRole("button", { name: said(language, "现在重连", "Reconnect now") });
        await again.click();
        await expect(card.getByRole("link", { name: said(language, "回到虚拟机", "Back to the VM") })).toHaveAttribute("href", `/vms/${places.delivered}`);
      } finally {
        await run(kubeconfig, vm, "Always");
      }
      await expect.poll(() => valueOf(kubeconfig, "vm", vm, "{.status.printableStatus}"), { timeout: 60_000 }).toBe("Running");
      await expect(screen, "it comes back").toHaveAttribute("data-state", "connected", { timeout: 40_000 });
      await expect(page.locator(".console-card")).toHaveCount(0);
      await expectScreenIsTheGuests(page, kubeconfig, vm);
    });

    test("the serial line takes what is typed and pasted", async ({ page, places }) => {
      test.setTimeout(90_000);
      await page.goto(`/console/${places.delivered}?mode=serial`);
      const line = page.locator("[data-testid=serial][data-state=connected]");
      await expect(line).toBeVisible({ timeout: 30_000 });
      await line.focus();
      // Out of what an earlier visitor left: the line keeps its session.
      await page.keyboard.press("Control+d");
      await expect(line).toContainText(`${vmOf(places).name} login:`);
      await page.keyboard.type("root\n");
      await expect(line).toContainText("Password:");
      await page.keyboard.type("open-sesame\n");
      await expect(line).toContainText("Welcome to");
      await expect(line, "a password is not shown").not.toContainText("sesame");
      const mark = `mark-${language}`;
      await page.keyboard.type(`echo ${mark}x`);
      await page.keyboard.press("Backspace");
      await page.keyboard.press("Enter");
      await expect(line).toContainText(new RegExp(`echo ${mark}\\s*\\n${mark}\\n`));
      await paste(line, "hostname\r\nuname\n");
      await expect(line).toContainText(new RegExp(`hostname\\s*\\n${vmOf(places).name}\\n[^\\n]*uname\\s*\\nLinux`));
      await page.keyboard.type("half a line");
      await page.keyboard.press("Control+c");
      await expect(line).toContainText("half a line^C");
      await page.keyboard.press("Control+Alt+Enter");
      await expect(page.locator("#console-bar button").first()).toBeFocused();
      await page.getByRole("link", { name: said(language, "换到屏幕", "To the screen") }).click();
      await expect(page.locator("[data-testid=screen][data-state=connected]")).toBeVisible({ timeout: 30_000 });
    });

    test("of two who look, the second is asked, the first is told by whom, and neither fights", async ({ page, browser, demo, places, sessions }) => {
      test.setTimeout(120_000);
      const first = await open(page, places);
      const takeOver = said(language, "接管", "Take over");
      await withSecond(await browser.newContext({ baseURL: demo.url, storageState: sessions.admin, viewport: { width: 1440, height: 900 } }), async (context) => {
        await prefer(context, demo.url, { language });
        const second = await context.newPage();
        await second.goto(`/console/${places.delivered}`);
        const its = second.getByTestId("screen");
        await expect(second.locator(".console-card"), "whose it is").toContainText("林若涵");
        await expect(first, "nothing is taken without a word").toHaveAttribute("data-state", "connected");
        await second.getByRole("button", { name: takeOver }).click();
        await expect(its).toHaveAttribute("data-state", "connected", { timeout: 30_000 });
        await expectScreenIsTheGuests(second, demo.kubeconfigs[0]!, vmOf(places));
        await expect(first).toHaveAttribute("data-state", "ended");
        await expect(page.locator(".console-card")).toContainText(said(language, "陈思远 打开了这块屏幕", "陈思远 opened this screen"));
        // Longer than the first waits of a line that is tried again.
        await page.waitForTimeout(5_000);
        await expect(first).toHaveAttribute("data-state", "ended");
        await expect(its, "the second keeps it").toHaveAttribute("data-state", "connected");
        await page.getByRole("button", { name: said(language, "重新打开", "Open again") }).click();
        await page.getByRole("button", { name: takeOver }).click();
        await expect(first, "asked for, it is taken back").toHaveAttribute("data-state", "connected", { timeout: 30_000 });
        await expect(its).toHaveAttribute("data-state", "ended");
      });
    });
  });
}

const vmOf = ({ delivered }: Places): VmName => {
  const [, namespace, name] = delivered.split("/") as [string, string, string];
  return { namespace, name };
};

const keys = (sent: Sent) => [...sent.keys];
const stroke = (char: string) => [true, false].map((down) => ({ down, keysym: char.codePointAt(0)! }));
const fitButton = (page: Page, language: Language): Locator => page.getByRole("button", { name: said(language, "适合窗口", "Fit the window") });

/** Opens the screen of the VM that was delivered, and waits until it shows something. */
async function open(page: Page, places: Places): Promise<Locator> {
  await page.goto(`/console/${places.delivered}`);
  const screen = page.getByTestId("screen");
  await expect(screen).toHaveAttribute("data-state", "connected", { timeout: 30_000 });
  return screen;
}

/** The bar stays: reached by the keyboard, then pinned. */
async function pinBar(page: Page, language: Language): Promise<void> {
  await page.getByTestId("screen").focus();
  await page.keyboard.press("Control+Alt+Enter");
  await page.getByRole("button", { name: said(language, "固定工具栏", "Pin the toolbar") }).click();
  await expect(page.locator("#console-bar")).not.toHaveAttribute("data-hidden");
}

async function run(kubeconfig: string, { namespace, name }: VmName, strategy: "Always" | "Halted"): Promise<void> {
  const patch = JSON.stringify({ spec: { running: null, runStrategy: strategy } });
  await kubectl(kubeconfig, "-n", namespace, "patch", "vm", name, "--type", "merge", "-p", patch);
}

async function paste(line: Locator, text: string): Promise<void> {
  await line.evaluate((element, text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

async function withSecond(context: BrowserContext, act: (context: BrowserContext) => Promise<void>): Promise<void> {
  try {
    await act(context);
  } finally {
    await context.close();
  }
}
