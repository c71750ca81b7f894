/** Running matches for the tests in the browser: demos, and a daemon that wants tokens. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
/** The repository. */
export const ROOT = resolve(import.meta.dirname, "../../..");
/** Where the programs are; a built workspace unless the environment says otherwise. */
const PROGRAMS = process.env["PHALANX_PROGRAMS"] ?? join(ROOT, "target/debug");
/** How long anything may take before a test fails. */
const PATIENCE_MS = 60_000;

/** All games. */
export const GAMES = ["assemble", "mars", "bomberland", "asimulator", "colosseum"] as const;
/** One of them. */
export type Game = (typeof GAMES)[number];

/** A pace that a machine with two cores keeps up with, browser included. */
const PACE: Readonly<Record<Game, string>> = { assemble: "250ms", mars: "400ms", bomberland: "200ms", asimulator: "200ms", colosseum: "50ms" };

/** Whether the programs are there. */
export function built(): boolean {
  return existsSync(join(PROGRAMS, "phalanxd")) && existsSync(join(PROGRAMS, "phalanx"));
}

/** Something with a page and a control socket, in a folder of its own. */
abstract class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), "phalanx-page-"));
  protected child: ChildProcess | undefined;
  abstract readonly socket: string;
  abstract readonly address: string;

  /** Runs the command line tool. */
  async phalanx(...words: string[]): Promise<string> {
    const env = { ...process.env, PHALANX_CONTROL: `unix:${this.socket}` };
    const { stdout } = await run(join(PROGRAMS, "phalanx"), words, { env, timeout: PATIENCE_MS });
    return stdout;
  }

  /** Names of a team's agents, from the command line tool. */
  async agents(team: string): Promise<string[]> {
    const list = await this.phalanx("agent", "list", team, "--output", "json");
    return [...list.matchAll(/"name":"([^"]+)"/g)].map((found) => found[1] ?? "").map((name) => name.slice(name.lastIndexOf("/") + 1));
  }

  /** The process' number. */
  pid(): number {
    return this.child?.pid ?? 0;
  }

  /** Kills the process, as a crash would. */
  async fall(): Promise<void> {
    const { child } = this;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await gone;
  }

  /** Ends everything. */
  async end(): Promise<void> {
    await this.fall();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** `phalanx demo`, as people start it. */
export class Demo extends Stage {
  readonly socket = join(this.folder, "phalanx/control.sock");
  address = "";

  /** Plays a game without an end, at a pace that people can follow. */
  static async play(game: Game, ...more: string[]): Promise<Demo> {
    const demo = new Demo();
    const length = game === "asimulator" ? ["--worlds", "100000"] : ["--steps", game === "bomberland" ? "2000" : "100000"];
    const env: NodeJS.ProcessEnv = { ...process.env, XDG_STATE_HOME: demo.folder };
    delete env["RUNTIME_DIRECTORY"];
    delete env["XDG_RUNTIME_DIR"];
    const words = ["demo", "--game", game, "--pace", PACE[game], "--seed", "7", ...length, ...more];
    const child = spawn(join(PROGRAMS, "phalanx"), words, { env, cwd: demo.folder, stdio: ["ignore", "ignore", "pipe"] });
    demo.child = child;
    demo.address = await new Promise((done, failed) => {
      let said = "";
      child.once("exit", () => { failed(new Error(`the demo ended: ${said}`)); });
      child.stderr.on("data", (bytes: Buffer) => {
        said += bytes.toString();
        const found = /see it: (http:\/\/127\.0\.0\.1:\d+)\/\n/.exec(said);
        if (found?.[1] !== undefined) done(found[1]);
      });
    });
    return demo;
  }
}

/** A daemon that stays, with its recordings. */
export class Daemon extends Stage {
  readonly socket = join(this.folder, "control.sock");

  private constructor(readonly address: string) {
    super();
  }

  /** Starts a daemon without teams; `loopbackRole` is what the page may do without a token. */
  static async start(loopbackRole: "admin" | "viewer" | "none"): Promise<Daemon> {
    const port = await freePort();
    const daemon = new Daemon(`http://127.0.0.1:${port}`);
    mkdirSync(join(daemon.folder, "state"));
    writeFileSync(
      join(daemon.folder, "phalanx.toml"),
      `state_dir = "${daemon.folder}/state"\n[control]\nsocket = "${daemon.socket}"\ntcp = "127.0.0.1:${port}"\nloopback_role = "${loopbackRole}"\nstay = "always"\n`,
    );
    await daemon.rise();
    return daemon;
  }

  /** Starts the process, again too, and waits until it answers. */
  async rise(): Promise<void> {
    this.child = spawn(join(PROGRAMS, "phalanxd"), ["--config", join(this.folder, "phalanx.toml")], { stdio: "ignore" });
    await until(async () => (await fetch(`${this.address}/healthz`)).ok);
  }

  /** Lets two small teams, A and B, play Agents Assemble. */
  async play(): Promise<void> {
    const arena = await this.phalanx("arena", "start", "assemble", "--name", "field", "--pace", "200ms", "--steps", "100000", "--output", "json");
    const { address } = JSON.parse(arena) as { address: string };
    const secret = join(this.folder, "secret");
    writeFileSync(secret, "demo");
    for (const side of ["A", "B"]) {
      const agents = ["--agents", `agent${side}:15`, "--role", "worker", "--password-file", secret];
      await this.phalanx("team", "create", side, "--game", "assemble", "--server", address, "--strategy", join(ROOT, "scripts/assemble"), ...agents);
    }
  }
}

/** Repeats the check until it holds. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  let last = "";
  for (;;) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = error instanceof Error ? error.message : "";
    }
    if (Date.now() > end) throw new Error(`still not so after ${PATIENCE_MS} ms: ${holds.toString()} ${last}`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer();
    probe.once("error", failed);
    probe.listen(0, "127.0.0.1", () => {
      const at = probe.address();
      probe.close(() => {
        if (at === null || typeof at === "string") failed(new Error("no port"));
        else done(at.port);
      });
    });
  });
}
