/** A daemon that plays nothing: it serves the built page and gives the same answers for ever. */
import { createServer, type Server, type ServerResponse } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { create, toBinary, type DescMethod, type MessageInitShape } from "@bufbuild/protobuf";
import { DIST, KINDS } from "./browser";

/** Answers by the path of their call. */
export class Canned {
  private readonly answers = new Map<string, { streamed: boolean; frames: Buffer[] }>();
  private server: Server | undefined;
  address = "";

  /** Gives this answer, or these messages of a stream that stays open. */
  answer<M extends DescMethod>(method: M, ...messages: MessageInitShape<M["output"]>[]): this {
    const frames = messages.map((message) => frame(0, toBinary(method.output, create(method.output, message))));
    this.answers.set(`/${method.parent.typeName}/${method.name}`, { streamed: method.methodKind === "server_streaming", frames });
    return this;
  }

  /** Listens on a free port. */
  async open(): Promise<this> {
    const server = createServer((request, response) => {
      request.resume();
      request.on("end", () => void this.serve(new URL(request.url ?? "/", "http://x").pathname, response));
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

  private async serve(path: string, response: ServerResponse): Promise<void> {
    const known = this.answers.get(path);
    if (known !== undefined) {
      response.writeHead(200, { "content-type": "application/grpc-web+proto" });
      for (const bytes of known.frames) response.write(bytes);
      if (!known.streamed) response.end(frame(0x80, Buffer.from("grpc-status: 0\r\n")));
      else response.flushHeaders();
      return;
    }
    if (path.startsWith("/phalanx.v1.")) {
      response.writeHead(200, { "content-type": "application/grpc-web+proto" });
      response.end(frame(0x80, Buffer.from("grpc-status: 12\r\ngrpc-message: it is canned\r\n")));
      return;
    }
    const file = path === "/" ? "/index.html" : path;
    try {
      const bytes = await readFile(join(DIST, file));
      response.writeHead(200, { "content-type": KINDS[extname(file)] ?? "application/octet-stream" });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  }
}

function frame(flag: number, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flag, 0);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
