/**
 * What is refused, to whom, and in which words: acts that a role may not do, by the page and past it, and kubeconfigs
 * that are not taken, each with its own sentence at the field.
 */
import { readFile } from "node:fs/promises";
import { type APIResponse, type Page, request as requests, type Response } from "@playwright/test";

import { LANGUAGES, type Language } from "../pages";
import { expectAccessible } from "../support/axe";
import type { Demo } from "../support/demo";
import { hydrated } from "../support/hydration";
import { replaced, servePlainKubernetes, valueIn, withValue, without } from "../support/kubeconfig";
import { valueOf, vmsOf } from "../support/kubectl";
import { CLUSTER } from "../support/places";
import { prefer } from "../support/preferences";
import type { Session } from "../support/session";
import { simulate } from "../support/simulator";
import { expect, test } from "../support/shared";
import { said } from "../support/words";

// The browser says by itself that an answer was a refusal.
test.use({ expectedErrors: [/Failed to load resource: the server responded with a status of (4\d\d|503)/] });

const MAY_NOT = {
  power: { "zh-CN": "只读角色不能开关虚拟机，需要运维员", en: "the role viewer may not change the power of VMs; that takes operator" },
  create: { "zh-CN": "只读角色不能创建虚拟机，需要运维员", en: "the role viewer may not create VMs; that takes operator" },
  register: { "zh-CN": "只读角色不能登记集群，需要平台管理员", en: "the role viewer may not register clusters; that takes administrator" },
  console: { "zh-CN": "只读角色不能打开控制台，需要运维员", en: "the role viewer may not open consoles; that takes operator" },
} satisfies Record<string, Record<Language, string>>;

/** What a page is told that was made for another sign-in than the cookie's. */
const OTHER_SESSION = { "zh-CN": "这个页面属于另一次登录", en: "this page belongs to another sign-in" } satisfies Record<Language, string>;

for (const language of LANGUAGES) {
  test.describe(`a viewer in ${language}`, () => {
    test.use({ role: "viewer", language });

    test("sees by the page what is not theirs to do, and why", async ({ page, places }) => {
      await page.goto(`/vms/${places.vm}`);
      await hydrated(page);
      await test.step("power and console of a VM", async () => {
        const buttons = page.locator("main .buttons > button");
        await expect(buttons.first()).toHaveAttribute("aria-disabled", "true");
        await expect(buttons.first()).toHaveAccessibleDescription(MAY_NOT.power[language]);
        await buttons.first().click({ force: true });
        await expect(page.locator("dialog[open]"), "nothing is asked").toHaveCount(0);
        await page.locator("main .buttons button[aria-haspopup=menu]").click();
        const items = page.locator("main [role=menu] [role=menuitem]");
        await expect(items).toHaveCount(7);
        for (const item of await items.all()) {
          await expect(item).toHaveAttribute("aria-disabled", "true");
          await expect(item).toContainText(MAY_NOT.power[language]);
        }
        await page.keyboard.press("Escape");
        const console = page.getByRole("button", { name: said(language, "控制台", "Console"), exact: true });
        await expect(console).toHaveAccessibleDescription(MAY_NOT.console[language]);
      });
      await test.step("power of many", async () => {
        await page.goto("/vms");
        await hydrated(page);
        await page.locator("#vms tbody input.check").first().check();
        const bulk = page.getByRole("toolbar", { name: said(language, "批量操作", "Bulk actions") });
        for (const word of said(language, ["启动", "关机", "重启"], ["Start", "Shut down", "Restart"])) {
          const button = bulk.getByRole("button", { name: new RegExp(`^${word}`) });
          await expect(button).toHaveAttribute("aria-disabled", "true");
          await expect(button).toHaveAccessibleDescription(MAY_NOT.power[language]);
        }
      });
      await test.step("the ways to order and to register are absent, their pages say who may", async () => {
        await expect(page.locator("#nav a[href='/portal']")).toHaveCount(0);
        await expect(page.locator("#nav a[href='/audit']")).toHaveCount(0);
        await expect(page.locator("main a[href='/portal']")).toHaveCount(0);
        await page.goto("/portal");
        await expect(page.locator("main")).toContainText(MAY_NOT.create[language]);
        await page.goto("/clusters");
        await expect(page.locator("main a[href='/clusters/new']")).toHaveCount(0);
        await page.goto("/clusters/new");
        await hydrated(page);
        await expect(page.locator("main button[type=submit]")).toHaveAttribute("aria-disabled", "true");
        await expect(page.locator("main button[type=submit]")).toHaveAccessibleDescription(MAY_NOT.register[language]);
      });
      await test.step("the console's page says so, and shows no screen", async () => {
        await page.goto(`/console/${places.vm}`);
        await expect(page.locator("main")).toContainText(MAY_NOT.console[language]);
        await expect(page.locator("[data-state=connected]")).toHaveCount(0);
      });
    });
  });

  test.describe(`who was an administrator when the page came, in ${language}`, () => {
    test.use({ role: "admin", language });

    test("is refused by the server, whatever the page offers", async ({ page, demo, places, sessions }) => {
      test.setTimeout(120_000);
      const asViewer = () => become(page, demo, sessions.viewer, language);
      const asAdmin = () => become(page, demo, sessions.admin, language);
      const [, namespace, name] = places.vm.split("/") as [string, string, string];

      const power = await test.step("start and stop", async () => {
        await page.goto(`/vms/${places.vm}`);
        await hydrated(page);
        await asViewer();
        await page.locator("main .buttons button[aria-haspopup=menu]").click();
        await page.getByRole("menuitem", { name: said(language, "关机", "Shut down"), exact: true }).click();
        await page.locator("dialog[open] textarea").fill("CHG-20940");
        const answer = await answered(page, "change_power", () => page.locator("dialog[open] footer button").last().click());
        await expectForbidden(answer, OTHER_SESSION[language], language);
        await expect(page.locator(".toast")).toContainText(OTHER_SESSION[language]);
        await expectForbidden(await again(demo, sessions.viewer, answer), MAY_NOT.power[language], language);
        await expect(page.locator("main .state").first(), "the page does not go on pretending").toHaveText(said(language, "运行", "Running"));
        expect(await valueOf(demo.kubeconfigs[0]!, "vm", { namespace, name }, "{.status.printableStatus}")).toBe("Running");
        return answer;
      });

      await test.step("a console's ticket", async () => {
        await asAdmin();
        await page.goto(`/vms/${places.vm}`);
        await hydrated(page);
        await asViewer();
        const answer = await answered(page, "ask_ticket", () => page.locator(`main a[href='/console/${places.vm}']`).first().click());
        await expectForbidden(answer, OTHER_SESSION[language], language);
        await expect(page.locator(".console-card, .console .blank").first()).toContainText(OTHER_SESSION[language]);
        await expectForbidden(await again(demo, sessions.viewer, answer), MAY_NOT.console[language], language);
      });

      await test.step("an order: what was typed stays", async () => {
        await asAdmin();
        await page.goto("/portal?template=web-gateway");
        await hydrated(page);
        const service = said(language, "refused-zh", "refused-en");
        await page.locator("#order-service").fill(service);
        await page.locator("#order-reason").fill(said(language, "试一试", "a try"));
        const submit = page.locator("form.portal-form button[type=submit]");
        await expect(submit).not.toHaveAttribute("aria-disabled", "true", { timeout: 20_000 });
        await asViewer();
        const answer = await answered(page, "place_order", () => submit.click());
        await expectForbidden(answer, OTHER_SESSION[language], language);
        await expect(page.locator("form.portal-form")).toContainText(OTHER_SESSION[language]);
        await expectForbidden(await again(demo, sessions.viewer, answer), MAY_NOT.create[language], language);
        await expect(page.locator("#order-service")).toHaveValue(service);
        await expect(page.locator("#order-reason")).toHaveValue(said(language, "试一试", "a try"));
        expect((await vmsOf(demo.kubeconfigs[0]!)).filter((vm) => vm.name.includes(service)), "nothing was made").toEqual([]);
      });

      const registration = await test.step("a registration: what was typed stays", async () => {
        await asAdmin();
        await page.goto("/clusters/new");
        await hydrated(page);
        await page.locator("#name").fill("X");
        await page.locator("#id").fill("not-mine");
        await page.locator("#kubeconfig").fill(await readFile(demo.kubeconfigs[0]!, "utf8"));
        await expect(page.locator(".register aside code")).toContainText("https://127.0.0.1");
        await asViewer();
        const answer = await answered(page, "register_cluster", () => page.locator("main button[type=submit]").click());
        await expectForbidden(answer, OTHER_SESSION[language], language);
        await expect(page.locator("main form")).toContainText(OTHER_SESSION[language]);
        await expectForbidden(await again(demo, sessions.viewer, answer), MAY_NOT.register[language], language);
        await expect(page.locator("#id")).toHaveValue("not-mine");
        return answer;
      });

      await test.step("the same requests without a page: nobody, and from another site", async () => {
        for (const answer of [power, registration]) {
          expect((await again(demo, undefined, answer)).status(), `${answer.url()} as nobody`).toBe(401);
          const foreign = await again(demo, sessions.admin, answer, "https://evil.example");
          expect(foreign.status(), `${answer.url()} from another site`).toBe(403);
          expect(await foreign.text()).toContain("another site");
        }
        expect(await valueOf(demo.kubeconfigs[0]!, "vm", { namespace, name }, "{.status.printableStatus}")).toBe("Running");
      });
    });
  });

  test.describe(`kubeconfigs in ${language}`, () => {
    test.use({ role: "admin", language });

    test("each that is not taken has its own sentence at the field, and the form stays", async ({ page, demo }) => {
      test.setTimeout(240_000);
      const [fine, other] = await Promise.all(demo.kubeconfigs.map((file) => readFile(file, "utf8"))) as [string, string];
      const third = await simulate(said(language, 41, 42), 2);
      const thirds = await readFile(third.kubeconfig, "utf8");
      const bad: BadKubeconfig[] = [
        { what: "empty", text: "  \n", sentence: /粘贴 kubeconfig 的全文|paste the whole kubeconfig/ },
        { what: "not YAML", text: "clusters: [oops\n  - {", sentence: /这不是 kubeconfig|this is not a kubeconfig/ },
        { what: "YAML, but no kubeconfig", text: "hello", sentence: /这不是 kubeconfig|this is not a kubeconfig/ },
        { what: "no current-context, and two to choose from", text: twoContexts(fine), sentence: /contexts.*current-context/ },
        { what: "a context without its cluster", text: withValue(fine, "    cluster", "elsewhere"), sentence: /clusters 里没有 elsewhere|no elsewhere in clusters/ },
        { what: "no credential", text: replaced(fine, /    token: .*/, "    token: ''"), sentence: /users\[\]\.user/ },
        { what: "exec", text: replaced(fine, /    token: .*/, "    exec:\n      apiVersion: client.authentication.k8s.io/v1\n      command: aws"), sentence: /users\[simulator\]\.user\.exec.*(它会在服务器上运行程序|it runs a program on the server)/ },
        { what: "auth-provider", text: replaced(fine, /    token: .*/, "    auth-provider:\n      name: oidc"), sentence: /auth-provider.*(登录插件|sign-in plug-in)/ },
        { what: "a file of certificates", text: replaced(fine, /certificate-authority-data: .*/, "certificate-authority: /etc/ca.pem"), sentence: /clusters\[simulator\]\.cluster\.certificate-authority.*certificate-authority-data/ },
        { what: "a file with a token", text: replaced(fine, /    token: .*/, "    tokenFile: /var/run/token"), sentence: /tokenFile.*(读服务器上的文件|reads a file of the server)/ },
        { what: "no verification", text: replaced(fine, /certificate-authority-data: .*/, "insecure-skip-tls-verify: true"), sentence: /insecure-skip-tls-verify.*(相信任何人|trusts anybody)/ },
        { what: "http", text: replaced(fine, /server: https/, "server: http"), sentence: /只接受 https 地址|only https addresses are taken/ },
        { what: "where nobody listens", text: withValue(fine, "server", "https://127.0.0.1:1"), sentence: /集群连接不上|the cluster cannot be reached/ },
        { what: "where it may not lead", text: withValue(fine, "server", "https://169.254.169.254"), sentence: /169\.254\.169\.254.*(链路本地|link-local)/ },
        { what: "a wrong token", text: withValue(fine, "token", "not-the-token"), sentence: /不接受这份凭据|does not accept the credential/ },
        { what: "another's certificate", text: withValue(fine, "certificate-authority-data", valueIn(other, "certificate-authority-data")), sentence: /证书|certificate/ },
        { what: "the same cluster again", text: fine, sentence: new RegExp(`已登记为 ${CLUSTER}|registered already as ${CLUSTER}`) },
      ];
      try {
        await page.goto("/clusters/new");
        await hydrated(page);
        const kept = { name: said(language, "不会登记的", "never registered"), id: "never-registered" };
        await page.locator("#name").fill(kept.name);
        await page.locator("#id").fill(kept.id);
        await page.locator("main label.choice input").check();
        const sentences = new Map<string, string>();
        for (const { what, text, sentence } of bad) {
          await test.step(what, async () => {
            const told = await refusal(page, text, sentence);
            expect(told, `${what}: in the reader's language`).toMatch(language === "en" ? /^[^\u4e00-\u9fff]+$/ : /[\u4e00-\u9fff]/);
            await expect(page.locator("#name")).toHaveValue(kept.name);
            await expect(page.locator("#id")).toHaveValue(kept.id);
            await expect(page.locator("main label.choice input")).toBeChecked();
            await expect(page.locator("#kubeconfig"), "what was pasted stays, to be mended").toHaveValue(text);
            sentences.set(what, told);
          });
        }
        await expectAccessible(page, "main");
        const shared = [...sentences.values()].filter((told, at, all) => all.indexOf(told) !== at);
        expect(shared, "sentences that stand for two things").toEqual([]);
        await test.step("an id that is taken, at its own field", async () => {
          await page.locator("#kubeconfig").fill(thirds);
          await expect(page.locator(".register aside code")).toContainText(valueIn(thirds, "server"));
          await page.locator("#id").fill(CLUSTER);
          await page.locator("main button[type=submit]").click();
          await expect(page.locator("#id-word")).toContainText(said(language, `标识 ${CLUSTER} 已被占用`, `the id ${CLUSTER} is taken`));
          await expect(page.locator("#kubeconfig"), "it is not to blame").not.toHaveAttribute("aria-invalid", "true");
          await expect(page.locator("#kubeconfig")).toHaveValue(thirds);
        });
        await test.step("an id that is none, while it is typed", async () => {
          await page.locator("#id").fill("Not An Id");
          await expect(page.locator("#id-word")).toContainText(said(language, "只能用小写字母、数字和连字符", "takes lower-case letters, digits and hyphens"));
        });
        await test.step("none of them was registered", async () => {
          await page.goto("/clusters");
          await expect(page.locator("main tbody tr")).toHaveCount(2);
        });
      } finally {
        await third.stop();
      }
    });

    test("a Kubernetes that is no Harvester is refused by that name", async ({ page }) => {
      const plain = await servePlainKubernetes();
      try {
        await page.goto("/clusters/new");
        await hydrated(page);
        await page.locator("#name").fill("Kubernetes");
        await page.locator("#id").fill("plain");
        await refusal(page, plain.kubeconfig, /Harvester/);
      } finally {
        await plain.stop();
      }
    });

    test("a sentence goes when what it was about is mended", async ({ page, demo }) => {
      const fine = await readFile(demo.kubeconfigs[0]!, "utf8");
      await page.goto("/clusters/new");
      await hydrated(page);
      await page.locator("#name").fill("X");
      await page.locator("#id").fill("mended");
      await refusal(page, withValue(fine, "token", "not-the-token"), /不接受这份凭据|does not accept the credential/);
      await page.locator("#kubeconfig").fill(fine);
      await expect(page.locator(".register aside code")).toContainText("https://127.0.0.1");
      await expect(page.locator("#kubeconfig"), "the credential is another one now").not.toHaveAttribute("aria-invalid", "true");
    });
  });
}

interface BadKubeconfig {
  what: string;
  text: string;
  sentence: RegExp;
}

/** The same kubeconfig with a second context, and none that is current. */
function twoContexts(text: string): string {
  return replaced(without(text, "current-context"), /contexts:\n/, "contexts:\n- name: second\n  context:\n    cluster: simulator\n    user: simulator\n");
}

/** Pastes, presses Register when pasting alone is no refusal yet, and gives what the field says. */
async function refusal(page: Page, text: string, sentence: RegExp): Promise<string> {
  await page.locator("#kubeconfig").fill(text);
  await page.locator("main button[type=submit]").click();
  const word = page.locator("#kubeconfig-word[data-tone=error]");
  await expect(word).toContainText(sentence, { timeout: 20_000 });
  await expect(page.locator("main button[type=submit]")).not.toHaveAttribute("aria-busy", "true", { timeout: 20_000 });
  await expect(word, "still, when the server has answered").toContainText(sentence);
  await expect(page.locator("#kubeconfig")).toHaveAttribute("aria-invalid", "true");
  await expect(page.locator("main [aria-invalid=true]"), "no other field is blamed").toHaveCount(1);
  await expect(page).toHaveURL("/clusters/new");
  return (await word.innerText()).trim();
}

/** The page stays; what it asks from now on, somebody else asks. */
async function become(page: Page, demo: Demo, session: Session, language: Language): Promise<void> {
  await page.context().clearCookies();
  await page.context().addCookies(session.cookies);
  await prefer(page.context(), demo.url, { language });
}

/** The answer of the server function `name` to what `act` does. */
async function answered(page: Page, name: string, act: () => Promise<void>): Promise<Response> {
  const answer = page.waitForResponse((response) => new URL(response.url()).pathname.includes(name));
  await act();
  return answer;
}

async function expectForbidden(answer: Response | APIResponse, sentence: string, language: Language): Promise<void> {
  expect(answer.status()).toBe(403);
  const fault = (await answer.json()) as { code: string; say: { zh: string; en: string } };
  expect(fault.code).toBe("forbidden");
  expect(said(language, fault.say.zh, fault.say.en)).toContain(sentence);
}

/** The same request without a page: as somebody, with the token that a page of theirs has, from a site. */
async function again(demo: Demo, session: Session | undefined, answer: Response, origin = demo.url): Promise<APIResponse> {
  const asker = await requests.newContext({ baseURL: demo.url, storageState: session });
  const token = session === undefined ? "" : /name="csrf"[^>]*value="([^"]+)"|value="([^"]+)"[^>]*name="csrf"/.exec(await (await asker.get("/")).text())?.slice(1).find((found) => found !== undefined);
  if (token === undefined) throw new Error("a page of theirs has no token");
  const sent = answer.request();
  return asker.post(new URL(sent.url()).pathname, { data: sent.postData()!, headers: { origin, "content-type": "application/json", ...withToken(sent.headers(), token) } });
}

/** The header that a page brings its token in. */
function withToken(headers: Record<string, string>, token: string): Record<string, string> {
  const name = Object.keys(headers).find((name) => name.includes("csrf"));
  if (name === undefined) throw new Error(`no token among ${Object.keys(headers)}`);
  return { [name]: token };
}
