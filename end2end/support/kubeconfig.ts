/**
 * Kubeconfigs that are wrong in one way each, made from one that is right; and what stands at an address that is no
 * Harvester cluster.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

/** A line of `text` that has `key`, with another value. */
export function withValue(text: string, key: string, value: string): string {
  return replaced(text, new RegExp(`(${key}: ).*`), `$1${value}`);
}

/** Without the line that has `key`. */
export function without(text: string, key: string): string {
  return replaced(text, new RegExp(`^.*\\b${key}: .*\n`, "m"), "");
}

/** Something in place of something that must be there. */
export function replaced(text: string, what: RegExp, by: string): string {
  if (!what.test(text)) throw new Error(`${what} is not in the kubeconfig`);
  return text.replace(what, by);
}

/** The value of a key. */
export function valueIn(text: string, key: string): string {
  const found = new RegExp(`${key}: (.*)`).exec(text)?.[1];
  if (found === undefined) throw new Error(`the kubeconfig has no ${key}`);
  return found;
}

/** A Kubernetes that is no Harvester: it has namespaces and nothing else. */
export interface PlainCluster {
  kubeconfig: string;
  stop(): Promise<void>;
}

/** Starts one, with a certificate of its own. */
export async function servePlainKubernetes(): Promise<PlainCluster> {
  const folder = await mkdtemp(path.join(tmpdir(), "plain-kubernetes-"));
  const [key, cert] = [path.join(folder, "key.pem"), path.join(folder, "cert.pem")];
  const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=plain"];
  const names = ["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"];
  await promisify(execFile)("openssl", [...words, ...names, "-keyout", key, "-out", cert]);
  const pem = await readFile(cert);
  const server = createServer({ key: await readFile(key), cert: pem }, (request, response) => {
    const answer = ANSWERS[new URL(request.url ?? "/", "https://any").pathname];
    const body = answer ?? { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404, message: "the server could not find the requested resource" };
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    kubeconfig: `apiVersion: v1
kind: Config
clusters:
- name: plain
  cluster:
    server: https://127.0.0.1:${port}
    certificate-authority-data: ${pem.toString("base64")}
users:
- name: plain
  user:
    token: plain-token
contexts:
- name: plain
  context:
    cluster: plain
    user: plain
current-context: plain
`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const ANSWERS: Record<string, unknown> = {
  "/version": { major: "1", minor: "33", gitVersion: "v1.33.1" },
  "/api": { kind: "APIVersions", versions: ["v1"] },
  "/apis": { kind: "APIGroupList", apiVersion: "v1", groups: [] },
  "/api/v1/namespaces/kube-system": {
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name: "kube-system", uid: "7e57ab1e-0000-4000-8000-000000000001", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" },
    status: { phase: "Active" },
  },
};
