/**
 * Every page of the product with who may see it, for the checks and pictures that are made of all of them.
 *
 * The names are stable: pictures are called by them. What a path needs to know of the demo's data is in {@link Places}.
 */

export const LANGUAGES = ["zh-CN", "en"] as const;
export const THEMES = ["light", "dark"] as const;
export const WIDTHS = [360, 1440, 1920] as const;
export const ROLES = ["viewer", "operator", "admin"] as const;

export type Language = (typeof LANGUAGES)[number];
export type Theme = (typeof THEMES)[number];
export type Role = (typeof ROLES)[number];

/** Objects of a demo that pages are about. */
export interface Places {
  cluster: string;
  /** `cluster/namespace/name` of a VM that runs. */
  vm: string;
  /** One that is stopped. */
  stopped: string;
  /** One that the platform delivered, with the id of its delivery. */
  delivered: string;
  delivery: string;
  /** A subnet with many addresses in use. */
  subnet: string;
}

/** A page and how it is called in file names. */
export interface PageEntry {
  name: string;
  path: (places: Places) => string;
  /** The least role that sees it; nobody signed in when not given. */
  role?: Role;
  /** The status of its answer. */
  status?: number;
  /** What it is for, as a selector of the control that does it: the keyboard must reach it. */
  primary?: string;
  /** It stands outside the frame: no skip link. */
  isBare?: boolean;
  /** The focus begins in its first field: the first Tab goes on from there. */
  beginsInField?: boolean;
  /** What a picture waits for, where the first paint is not the page yet. */
  ready?: string;
}

const at = (path: string) => () => path;
const ofCluster = (tab: string) => (places: Places) => `/clusters/${places.cluster}${tab === "" ? "" : `?tab=${tab}`}`;
const ofVm = (tab: string) => (places: Places) => `/vms/${places.vm}${tab === "" ? "" : `?tab=${tab}`}`;

export const PAGES: PageEntry[] = [
  { name: "sign-in", path: at("/sign-in"), isBare: true, primary: "button[type=submit]" },
  { name: "sign-in-wrong", path: at("/sign-in?fault=invalid"), isBare: true, primary: "button[type=submit]" },
  { name: "overview", path: at("/"), role: "viewer" },
  { name: "vms", path: at("/vms"), role: "viewer", primary: "[role=grid]" },
  { name: "vms-searched", path: at("/vms?q=env%3Aprod&sort=-cpu"), role: "viewer", primary: "[role=grid]" },
  { name: "vms-none", path: at("/vms?q=nothing-is-called-so"), role: "viewer" },
  { name: "vms-preview", path: ({ vm }) => `/vms?open=${encodeURIComponent(vm)}`, role: "viewer", ready: ".vms-drawer .truths, .vms-drawer .facts" },
  { name: "vm", path: ofVm(""), role: "viewer", primary: "main a[href^='/console/'], main button.button" },
  { name: "vm-stopped", path: ({ stopped }) => `/vms/${stopped}`, role: "viewer" },
  { name: "vm-events", path: ofVm("events"), role: "viewer" },
  { name: "vm-yaml", path: ofVm("yaml"), role: "viewer" },
  { name: "vm-missing", path: at("/vms/bj-yizhuang/default/no-such-vm"), role: "viewer", status: 404 },
  { name: "console", path: ({ delivered }) => `/console/${delivered}`, role: "operator", isBare: true, primary: "canvas", ready: "[data-testid=screen][data-state=connected]" },
  { name: "console-serial", path: ({ delivered }) => `/console/${delivered}?mode=serial`, role: "operator", isBare: true, ready: "[data-testid=serial]" },
  { name: "portal", path: at("/portal?template=web-gateway"), role: "operator", primary: "#order-service" },
  { name: "delivery", path: ({ delivery }) => `/deliveries/${delivery}`, role: "viewer" },
  { name: "addresses", path: at("/addresses"), role: "viewer" },
  { name: "address-new", path: at("/addresses/new"), role: "operator", beginsInField: true, primary: "main button[type=submit]" },
  { name: "address-map", path: ({ subnet }) => `/addresses/${subnet}`, role: "viewer" },
  { name: "clusters", path: at("/clusters"), role: "viewer" },
  { name: "cluster-new", path: at("/clusters/new"), role: "admin", beginsInField: true, primary: "main button[type=submit]" },
  { name: "cluster", path: ofCluster(""), role: "viewer" },
  { name: "cluster-capabilities", path: ofCluster("capabilities"), role: "viewer" },
  { name: "cluster-networks", path: ofCluster("networks"), role: "viewer" },
  { name: "cluster-images", path: ofCluster("images"), role: "viewer" },
  { name: "cluster-rights", path: ofCluster("rights"), role: "viewer" },
  { name: "cluster-watches", path: ofCluster("watches"), role: "viewer" },
  { name: "audit", path: at("/audit"), role: "operator" },
  { name: "audit-open", path: at("/audit?open=1"), role: "operator" },
  { name: "account", path: at("/account"), role: "viewer" },
  { name: "missing", path: at("/no/such/page"), role: "viewer", status: 404 },
];

/** Whether `role` sees what takes `least`. */
export function sees(role: Role | undefined, least: Role | undefined): boolean {
  return least === undefined ? role === undefined : role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(least);
}
