/** Short notices of what came of a click. */
import * as Toast from "@kobalte/core/toast";
import type { JSX } from "solid-js";
import { Portal } from "solid-js/web";
import { faultOf } from "../api/fault";

/** Where notices appear. */
export function Notices(): JSX.Element {
  return (
    <Portal>
      <Toast.Region duration={5_000} limit={4}>
        <Toast.List class="notices" />
      </Toast.Region>
    </Portal>
  );
}

/** Tells that something was done. */
export function tell(text: string): void {
  show("done", text);
}

/** Tells why something was not done. */
export function complain(error: unknown): void {
  const { text, reason } = faultOf(error);
  show("failed", reason === "" ? text : `${text} (${reason})`);
}

/** Does something and tells what came of it. */
export async function attempt(done: string, what: () => Promise<unknown>): Promise<boolean> {
  try {
    await what();
    tell(done);
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

function show(kind: "done" | "failed", text: string): void {
  Toast.toaster.show((props) => (
    <Toast.Root toastId={props.toastId} class="notice" data-kind={kind} priority={kind === "failed" ? "high" : "low"}>
      <Toast.Description>{text}</Toast.Description>
      <Toast.CloseButton class="quiet" aria-label="Close">
        ×
      </Toast.CloseButton>
    </Toast.Root>
  ));
}
