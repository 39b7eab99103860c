/**
 * A session of npm's `@kubernetes/client-node` with a cluster: `session.mjs KUBECONFIG NAMESPACE`.
 *
 * The same at the simulator and at upstream's own programs. Each line that it prints holds; the first that does not ends it.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { ApiException, CoreV1Api, CustomObjectsApi, KubeConfig, KubernetesObjectApi, VersionApi, Watch, makeInformer } from "@kubernetes/client-node";

const [kubeconfig, namespace] = process.argv.slice(2);
const PATIENCE_MS = 90_000;
const KUBEVIRT = { group: "kubevirt.io", version: "v1", plural: "virtualmachines" };

const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const [core, custom, objects] = [config.makeApiClient(CoreV1Api), config.makeApiClient(CustomObjectsApi), KubernetesObjectApi.makeApiClient(config)];

function held(what, holds = true) {
  assert.ok(holds, what);
  console.log(`  ${what}`);
}

async function refused(code, reason, call) {
  const error = await call().then(() => assert.fail(`not refused with ${code}`), (error) => error);
  assert.ok(error instanceof ApiException, String(error));
  const body = typeof error.body === "string" ? JSON.parse(error.body) : error.body;
  assert.deepEqual([error.code, body.reason, body.kind], [code, reason, "Status"]);
}

/** Watches VMs of the namespace until one event holds; the watch itself ends with the program. */
async function until(name, holds) {
  const path = `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines`;
  await new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error(`${name}: not within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS).unref();
    const seen = (type, object) => object?.metadata?.name === name && holds(type, object) && resolve();
    new Watch(config).watch(path, { allowWatchBookmarks: true }, seen, (error) => error && reject(error)).catch(reject);
  });
}

held("nodes are ready", (await core.listNode()).items.every(({ status }) => status.conditions.some(({ type, status }) => type === "Ready" && status === "True")));
held("the version is read", (await config.makeApiClient(VersionApi).getCode()).major === "1");

const made = await objects.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "client-", namespace }, data: { a: "1" } });
const { name } = made.metadata;
const patched = await objects.patch({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data: { a: "2", b: "3" } });
assert.deepEqual(patched.data, { a: "2", b: "3" });
held("a patch is merged");
await refused(409, "Conflict", () => core.replaceNamespacedConfigMap({ name, namespace, body: { ...made, data: { a: "stale" } } }));
held("a stale version is refused");
await core.deleteNamespacedConfigMap({ name, namespace });
await refused(404, "NotFound", () => core.readNamespacedConfigMap({ name, namespace }));
held("what was deleted is gone");

const body = JSON.parse(await readFile(new URL("vm.json", import.meta.url), "utf8"));
const vm = await custom.createNamespacedCustomObject({ ...KUBEVIRT, namespace, body });
const machine = vm.metadata.name;
const running = until(machine, (_, { status }) => status?.printableStatus === "Running");
await objects.patch({ apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", metadata: { name: machine, namespace }, spec: { runStrategy: "Always" } }, undefined, undefined, undefined, undefined, "application/merge-patch+json");
await running;
held("a watch tells of a VM until it runs");
const vmi = await objects.read({ apiVersion: "kubevirt.io/v1", kind: "VirtualMachineInstance", metadata: { name: machine, namespace } });
held("discovery finds its instance", vmi.status.phase === "Running" && vmi.status.nodeName !== "");

const listed = await new Promise((resolve, reject) => {
  const informer = makeInformer(config, `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines`, () => custom.listNamespacedCustomObject({ ...KUBEVIRT, namespace }));
  informer.on("add", (object) => object.metadata.name === machine && informer.stop().then(() => resolve(object), reject));
  informer.on("error", reject);
  informer.start().catch(reject);
});
held("an informer lists it", listed.metadata.uid === vm.metadata.uid);
const gone = until(machine, (type) => type === "DELETED");
await custom.deleteNamespacedCustomObject({ ...KUBEVIRT, namespace, name: machine });
await gone;
held("a watch tells of its end");
process.exit(0);
