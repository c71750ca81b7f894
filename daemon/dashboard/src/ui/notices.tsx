/** Short notices about the result of a click. */
import * as Toast from "@kobalte/core/toast";
import type { JSX } from "solid-js";
import { Portal } from "solid-js/web";
import { faultOf } from "../api/fault";

/** Where notices appear. */
export function Notices(): JSX.Element {
  return (
    <Portal>
      <Toast.Region duration={5_000} limit={4}>
        <Toast.List as="div" class="notices" />
      </Toast.Region>
    </Portal>
  );
}

/** Reports a success. */
export function notify(text: string): void {
  show("done", text);
}

/** Reports a failure with its reason. */
export function complain(error: unknown): void {
  const { text, reason } = faultOf(error);
  show("failed", reason === "" ? text : `${text} (${reason})`);
}

/** Runs a call and reports its result; true: it succeeded. */
export async function attempt(done: string, what: () => Promise<unknown>): Promise<boolean> {
  try {
    await what();
    notify(done);
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

function show(kind: "done" | "failed", text: string): void {
  Toast.toaster.show((props) => (
    <Toast.Root as="div" toastId={props.toastId} class="notice" data-kind={kind} priority={kind === "failed" ? "high" : "low"}>
      <Toast.Description>{text}</Toast.Description>
      <Toast.CloseButton class="quiet" aria-label="Close">
        ×
      </Toast.CloseButton>
    </Toast.Root>
  ));
}
