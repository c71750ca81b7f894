/** Errors of the control API, as the page deals with them. */
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";

/** Why a call failed. */
export interface Fault {
  /** The status code. */
  readonly code: Code;
  /** One of the names of `ErrorReason`, empty where the error did not come from a daemon. */
  readonly reason: string;
  /** What belongs to the reason. */
  readonly metadata: ReadonlyMap<string, string>;
  /** For people. */
  readonly text: string;
}

/** The browsers' own words for a server that they cannot reach. */
const UNREACHED = /^(Failed to fetch|NetworkError when attempting|Load failed|network error)/i;
const ERROR_INFO = "google.rpc.ErrorInfo";

/** Looks into an error for its reason. */
export function faultOf(error: unknown): Fault {
  const known = ConnectError.from(error);
  for (const detail of known.details) {
    if ("type" in detail && detail.type === ERROR_INFO && detail.value instanceof Uint8Array) {
      const { reason, metadata } = errorInfo(detail.value);
      return { code: known.code, reason, metadata, text: known.rawMessage };
    }
  }
  const text = UNREACHED.test(known.rawMessage) ? "The daemon does not answer" : known.rawMessage;
  return { code: known.code, reason: "", metadata: new Map(), text };
}

/** `google.rpc.ErrorInfo`: a reason, a domain and a map of texts. Bytes that are not one give an empty one. */
export function errorInfo(bytes: Uint8Array): { reason: string; metadata: Map<string, string> } {
  const metadata = new Map<string, string>();
  let reason = "";
  try {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [field, wire] = reader.tag();
      if (field === 1) reason = reader.string();
      else if (field === 3) {
        const [key, value] = pair(reader.bytes());
        metadata.set(key, value);
      } else reader.skip(wire);
    }
  } catch {
    return { reason: "", metadata: new Map() };
  }
  return { reason, metadata };
}

function pair(bytes: Uint8Array): [string, string] {
  const reader = new BinaryReader(bytes);
  let [key, value] = ["", ""];
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    if (field === 1) key = reader.string();
    else if (field === 2) value = reader.string();
    else reader.skip(wire);
  }
  return [key, value];
}

/** Whether a token would help. */
export function needsToken(fault: Fault): boolean {
  return fault.code === Code.Unauthenticated;
}
