/**
 * The system's Chromium and how it is started: nothing is downloaded, and nothing talks to the world.
 */
import { existsSync } from "node:fs";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome-stable", "/usr/bin/google-chrome"];

/** `--no-sandbox` because CI runs as root; the rest keeps Chromium off the network and off the graphics card. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** What goes into Playwright's `use`. `CHROMIUM` in the environment names another browser. */
export const chromium = {
  browserName: "chromium",
  launchOptions: { executablePath: process.env.CHROMIUM ?? PLACES.find((place) => existsSync(place)), args: FLAGS },
} as const;
