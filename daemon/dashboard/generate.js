/** Writes `src/gen`, the client's code, from the contract's descriptors, which `proto` keeps true. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { CodeGeneratorRequestSchema, CodeGeneratorResponseSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

const HERE = import.meta.dirname;
const DESCRIPTORS = join(HERE, "../../proto/src/gen/descriptors.bin");
const PLUGIN = join(HERE, "node_modules/.bin/protoc-gen-es");
const INTO = join(HERE, "src/gen");

const { file } = fromBinary(FileDescriptorSetSchema, readFileSync(DESCRIPTORS));
const ours = file.map(({ name }) => name).filter((name) => name.startsWith("phalanx/"));
const request = create(CodeGeneratorRequestSchema, { parameter: "target=ts", protoFile: file, fileToGenerate: ours });
const said = execFileSync(PLUGIN, { input: toBinary(CodeGeneratorRequestSchema, request), maxBuffer: 1 << 26 });
const answer = fromBinary(CodeGeneratorResponseSchema, said);
if (answer.error !== "") throw new Error(answer.error);
rmSync(INTO, { recursive: true, force: true });
for (const { name, content } of answer.file) {
  const path = join(INTO, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
