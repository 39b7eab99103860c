/**
 * A simulated cluster beside those of the demo, for what is done with a cluster that the product does not know yet.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 30_000;

/** A running one. */
export interface Simulated {
  /** A file for kubectl. */
  kubeconfig: string;
  /** It answers nobody any more, and ends no connection, as a machine that hangs. */
  freeze(): void;
  /** It goes on where it was. */
  thaw(): void;
  stop(): Promise<void>;
}

/** Starts one with two hosts and `vms` VMs; `seed` decides their names and its networks. */
export async function simulate(seed: number, vms: number): Promise<Simulated> {
  const folder = await mkdtemp(path.join(tmpdir(), "harvester-sim-"));
  const kubeconfig = path.join(folder, "kubeconfig");
  const program = process.env.HARVESTER_SIM ?? path.resolve(import.meta.dirname, "../../target/debug/harvester-sim");
  const words = ["serve", "--nodes", "2", "--vms", `${vms}`, "--seed", `${seed}`, "--speed", "10", "--kubeconfig", kubeconfig];
  const child = spawn(program, words, { stdio: "ignore" });
  const thaw = () => void child.kill("SIGCONT");
  const stop = async () => {
    // What is frozen hears nothing.
    thaw();
    child.kill("SIGTERM");
    await rm(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + PATIENCE_MS;
  while (!existsSync(kubeconfig)) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`${program} wrote no kubeconfig`);
    }
    await sleep(50);
  }
  return { kubeconfig, freeze: () => void child.kill("SIGSTOP"), thaw, stop };
}
