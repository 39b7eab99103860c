/**
 * The product on a free port with a data folder of its own, for as long as the tests of one worker take.
 *
 * What the program writes into `demo.json` in its data folder, once it answers, is the contract between it and these tests.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a debug build may take to answer on a busy machine with two cores. */
const PATIENCE_MS = 60_000;
/** How much of what the program said is shown when it does not start. */
const TAIL_CHARS = 4_000;

/** Somebody who can sign in. */
export interface User {
  name: string;
  password: string;
  /** What they may do: `admin`, `operator` or `viewer`. */
  role: string;
}

/** What the program says about itself in `demo.json`. */
export interface DemoFacts {
  /** Without a slash at the end. */
  url: string;
  users: User[];
  /** Files by which kubectl reaches the simulated clusters. */
  kubeconfigs: string[];
}

/** A running demo. */
export interface Demo extends DemoFacts {
  /** Where its database and key are. */
  data: string;
  /** Ends the program at once, as a crash would; its data stays. */
  crash(): Promise<void>;
  /** Starts it again where it was, with its data. */
  resume(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** Starts one; `extra` are further arguments of `harvester-admin demo`. */
export async function startDemo(extra: string[] = []): Promise<Demo> {
  const data = await mkdtemp(path.join(tmpdir(), "harvester-admin-demo-"));
  const file = path.join(data, "demo.json");
  let child: ChildProcess;
  const start = async (port: string) => {
    await rm(file, { force: true });
    child = launch(["demo", "--port", port, "--data", data, ...extra]);
    const said = tail(child);
    try {
      return await factsWhenReady(child, file);
    } catch (error) {
      await end(child, "SIGTERM");
      throw new Error(`the demo did not start: ${error instanceof Error ? error.message : error}\n${said()}`);
    }
  };
  const facts = await start("0");
  return {
    ...facts,
    data,
    crash: () => end(child, "SIGKILL"),
    resume: async () => void (await start(new URL(facts.url).port)),
    stop: async () => {
      await end(child, "SIGTERM");
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** A program of ours: that of the environment, else that of the last build. */
export function program(name: string, variable: string): string {
  return process.env[variable] ?? path.resolve(import.meta.dirname, "../../target/debug", name);
}

/** Starts a program bound to us by the kernel where `setpriv` is there: it ends even when we are killed. */
export function bound(file: string, words: string[]): ChildProcess {
  const whole = [...(existsSync(SETPRIV) ? [SETPRIV, "--pdeathsig", "TERM", "--"] : []), file, ...words];
  return spawn(whole[0]!, whole.slice(1), { stdio: ["ignore", "pipe", "pipe"] });
}

const SETPRIV = "/usr/bin/setpriv";

function launch(words: string[]): ChildProcess {
  return bound(program("harvester-admin", "HARVESTER_ADMIN"), words);
}

/** Keeps the end of what a program says. */
export function tail(child: ChildProcess): () => string {
  let text = "";
  const keep = (chunk: Buffer) => (text = (text + chunk.toString()).slice(-TAIL_CHARS));
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  child.on("error", (error) => (text += `\n${error.message}`));
  return () => text;
}

async function factsWhenReady(child: ChildProcess, file: string): Promise<DemoFacts> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended (${child.exitCode ?? child.signalCode})`);
    // It is written in one step, so what is there is whole.
    if (existsSync(file)) return JSON.parse(await readFile(file, "utf8"));
    await sleep(50);
  }
  throw new Error(`no ${file} after ${PATIENCE_MS / 1000} s`);
}

/** Ends a program with `signal`, and without mercy when it does not end soon. */
export async function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  const killer = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await ended;
  clearTimeout(killer);
}
