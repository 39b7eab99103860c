import { defineConfig } from "@playwright/test";

import everyday from "./playwright.config";

/** Pictures of all pages; what they show is looked at by a person. */
export default defineConfig(everyday, { testDir: "shots", timeout: 120_000 });
