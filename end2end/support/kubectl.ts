/**
 * The cluster as kubectl sees it: a witness beside the product.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
/** A screen of 1920 by 1080 as PNG, and some. */
const MOST_BYTES = 64 * 1024 * 1024;
/** No answer of a simulated cluster takes longer. */
const PATIENCE_MS = 20_000;

/** What kubectl prints; fails with what it says when it does not succeed. */
export async function kubectl(kubeconfig: string, ...words: string[]): Promise<string> {
  return (await bytes(kubeconfig, words)).toString("utf8");
}

/** The answer of the API to a GET, as it came. */
export function raw(kubeconfig: string, path: string): Promise<Buffer> {
  return bytes(kubeconfig, ["get", "--raw", path]);
}

/** One value of an object, by JSONPath; empty when it is not there. */
export async function valueOf(kubeconfig: string, kind: string, { namespace, name }: VmName, jsonpath: string): Promise<string> {
  return kubectl(kubeconfig, "-n", namespace, "get", kind, name, "--ignore-not-found", "-o", `jsonpath=${jsonpath}`);
}

/** A VM within its cluster. */
export interface VmName {
  namespace: string;
  name: string;
}

/** Where all VMs are read: without discovery, which each kubectl does in its own way. */
export const ALL_VMS = "/apis/kubevirt.io/v1/virtualmachines";

/** All VMs with what the cluster prints as their status. */
export async function vmsOf(kubeconfig: string): Promise<(VmName & { status: string; environment: string })[]> {
  const list = JSON.parse((await raw(kubeconfig, ALL_VMS)).toString("utf8")) as { items: Item[] };
  return list.items.map(({ metadata, status }) => ({
    namespace: metadata.namespace,
    name: metadata.name,
    status: status?.printableStatus ?? "",
    environment: metadata.labels?.["ops.example.com/env"] ?? "",
  }));
}

interface Item {
  metadata: { namespace: string; name: string; labels?: Record<string, string> };
  status?: { printableStatus?: string };
}

async function bytes(kubeconfig: string, words: string[]): Promise<Buffer> {
  const options = { encoding: "buffer" as const, maxBuffer: MOST_BYTES, timeout: PATIENCE_MS };
  const { stdout } = await run("kubectl", ["--kubeconfig", kubeconfig, ...words], options);
  return stdout;
}
