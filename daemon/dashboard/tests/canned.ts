/** A fake daemon: it serves the built page and fixed answers. */
import { createServer, type Server, type ServerResponse } from "node:http";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { create, fromBinary, toBinary, type DescMethod, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { DIST, KINDS } from "./browser";
import { ROOT } from "./stage";

/** What the daemon's own page may do. */
const POLICY = policy();
/** Bytes before each message: a flag and the length. */
const FRAME_HEADER = 5;
/** Statuses of calls. */
const [NOT_FOUND, UNIMPLEMENTED, UNAUTHENTICATED] = [5, 12, 16];

/** Answers by the path of their call. */
export class Canned {
  private readonly answers = new Map<string, { streamed: boolean; frames: Buffer[] }>();
  private readonly streams = new Map<string, Set<ServerResponse>>();
  /** Words of requests that have answers of their own. */
  private readonly words = new Set<string>();
  /** Paths of all calls, in their order. */
  readonly calls: { path: string; body: string }[] = [];
  private wanted: string | undefined;
  private server: Server | undefined;
  address = "";

  /** Gives this answer, or these messages of a stream that stays open. */
  answer<M extends DescMethod>(method: M, ...messages: MessageInitShape<M["output"]>[]): this {
    const frames = messages.map((message) => framed(method, message));
    this.answers.set(pathOf(method), { streamed: method.methodKind === "server_streaming", frames });
    return this;
  }

  /** The same, only for requests that contain this word: `teams/B`. */
  answerTo<M extends DescMethod>(method: M, about: string, ...messages: MessageInitShape<M["output"]>[]): this {
    this.words.add(about);
    const frames = messages.map((message) => framed(method, message));
    this.answers.set(`${pathOf(method)} ${about}`, { streamed: method.methodKind === "server_streaming", frames });
    return this;
  }

  /** Answers with "not found". */
  miss(method: DescMethod): this {
    this.answers.set(pathOf(method), { streamed: false, frames: [status(NOT_FOUND, "there is none")] });
    return this;
  }

  /** Takes calls with this token only. */
  want(token: string): this {
    this.wanted = token;
    return this;
  }

  /** Sends a message to all open streams, or to those whose requests contain a word with answers of its own. */
  send<M extends DescMethod>(method: M, message: MessageInitShape<M["output"]>, about = ""): void {
    const path = pathOf(method);
    for (const [key, streams] of this.streams) {
      if (about === "" ? key !== path && !key.startsWith(`${path} `) : key !== `${path} ${about}`) continue;
      for (const response of streams) response.write(framed(method, message));
    }
  }

  /** Ends all open streams without an error. */
  finish(method: DescMethod): void {
    for (const [key, streams] of this.streams) {
      if (key.split(" ")[0] === pathOf(method)) for (const response of streams) response.end(status(0, ""));
    }
  }

  /** How often it was asked. */
  asked(method: DescMethod): number {
    return this.requests(method).length;
  }

  /** What it was asked. */
  requests<M extends DescMethod>(method: M): MessageShape<M["input"]>[] {
    const bodies = this.calls.filter(({ path }) => path === pathOf(method)).map(({ body }) => Buffer.from(body, "latin1"));
    return bodies.map((body) => fromBinary<M["input"]>(method.input, body.subarray(FRAME_HEADER)));
  }

  /** Listens on a free port. */
  async open(): Promise<this> {
    const server = createServer((request, response) => {
      const token = request.headers.authorization?.replace("Bearer ", "");
      const body: Buffer[] = [];
      request.on("data", (bytes: Buffer) => body.push(bytes));
      request.on("end", () => void this.serve(new URL(request.url ?? "/", "http://x").pathname, token, Buffer.concat(body).toString("latin1"), response));
    });
    this.server = server;
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const at = server.address();
    if (at === null || typeof at === "string") throw new Error("no port");
    this.address = `http://127.0.0.1:${at.port}`;
    return this;
  }

  /** Ends all connections. */
  close(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private async serve(path: string, token: string | undefined, body: string, response: ServerResponse): Promise<void> {
    if (path.startsWith("/phalanx.v1.")) {
      this.call(path, token, body, response);
      return;
    }
    const file = path === "/" ? "/index.html" : path;
    try {
      const bytes = await readFile(join(DIST, file));
      response.writeHead(200, { "content-type": KINDS[extname(file)] ?? "application/octet-stream", "content-security-policy": POLICY });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  }

  private call(path: string, token: string | undefined, body: string, response: ServerResponse): void {
    this.calls.push({ path, body });
    const about = [...this.words].find((word) => body.includes(word) && this.answers.has(`${path} ${word}`));
    const key = about === undefined ? path : `${path} ${about}`;
    const known = this.answers.get(key);
    response.writeHead(200, { "content-type": "application/grpc-web+proto" });
    if (this.wanted !== undefined && token !== this.wanted) {
      response.end(status(UNAUTHENTICATED, "it takes a token"));
      return;
    }
    if (known === undefined) {
      response.end(status(UNIMPLEMENTED, "it is canned"));
      return;
    }
    for (const bytes of known.frames) response.write(bytes);
    if (known.streamed) this.keep(key, response);
    else response.end(known.frames.some(isStatus) ? undefined : status(0, ""));
  }

  private keep(path: string, response: ServerResponse): void {
    const streams = this.streams.get(path) ?? new Set();
    this.streams.set(path, streams.add(response));
    response.on("close", () => streams.delete(response));
    response.flushHeaders();
  }
}

/** The path of its calls. */
export function pathOf(method: DescMethod): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function framed<M extends DescMethod>(method: M, message: MessageInitShape<M["output"]>): Buffer {
  return frame(0, toBinary(method.output, create(method.output, message)));
}

function status(code: number, text: string): Buffer {
  return frame(0x80, Buffer.from(`grpc-status: ${code}\r\ngrpc-message: ${text}\r\n`));
}

function isStatus(bytes: Buffer): boolean {
  return bytes[0] === 0x80;
}

/** The daemon's content policy, read from its source. */
function policy(): string {
  const source = readFileSync(join(ROOT, "daemon/control/src/dashboard.rs"), "utf8");
  const found = /const POLICY: &str = "([^"]+)"/.exec(source)?.[1];
  if (found === undefined) throw new Error("the daemon's page has no content policy");
  return found.replace(/\\\n\s*/g, "");
}

function frame(flag: number, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(FRAME_HEADER);
  head.writeUInt8(flag, 0);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
