/**
 * Signing in: through the form, as people do it, once a role; then the cookie is reused.
 */
import type { Browser, BrowserContext, Page } from "@playwright/test";

import { ROLES, type Role } from "../pages";
import type { Demo, User } from "./demo";

/** What a context is made from to be somebody. */
export type Session = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** The session of each role. */
export type Sessions = Record<Role, Session>;

/** Who has a role in the demo. */
export function userOf(demo: Demo, role: Role): User {
  const user = demo.users.find((user) => user.role === role);
  if (user === undefined) throw new Error(`nobody in the demo is ${role}`);
  return user;
}

/** Fills the form and sends it; the page that follows may still be loading. */
export async function signIn(page: Page, { name, password }: User, path = "/sign-in"): Promise<void> {
  await page.goto(path);
  await page.locator("input[name=login]").fill(name);
  await page.locator("input[name=password]").fill(password);
  await page.locator("form[action='/sign-in'] button[type=submit]").click();
  await page.waitForURL((url) => url.pathname !== "/sign-in");
}

/** Signs everybody in. The form works without scripts, so it takes no time. */
export async function signInAll(browser: Browser, demo: Demo): Promise<Sessions> {
  const one = async (role: Role): Promise<[Role, Session]> => {
    const context = await browser.newContext({ baseURL: demo.url, javaScriptEnabled: false });
    await signIn(await context.newPage(), userOf(demo, role));
    const session = await context.storageState();
    await context.close();
    return [role, session];
  };
  const all: [Role, Session][] = [];
  for (const role of ROLES) all.push(await one(role));
  return Object.fromEntries(all) as Sessions;
}
