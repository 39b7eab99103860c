/**
 * Every page of the product, for the checks and pictures that are made of all of them.
 */

/** A page and how it is called in file names. */
export interface PageEntry {
  name: string;
  path: string;
  /** The role that sees it; nobody signed in when not given. */
  role?: string;
}

export const PAGES: PageEntry[] = [{ name: "home", path: "/" }];

export const LANGUAGES = ["zh-CN", "en"] as const;
export const THEMES = ["light", "dark"] as const;
export const WIDTHS = [360, 1440, 1920] as const;
