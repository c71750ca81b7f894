/** Asks for a token when the daemon requires one, or when the user wants to enter another. */
import * as Dialog from "@kobalte/core/dialog";
import { createSignal, Show, type JSX } from "solid-js";
import { useCockpit } from "../state/cockpit";

/** The dialog. If the daemon requires a token, it stays open until the daemon accepts one. */
export function Login(): JSX.Element {
  const cockpit = useCockpit();
  const [text, setText] = createSignal("");
  const wanted = (): boolean => cockpit.locked() !== undefined;
  const enter = (event: SubmitEvent): void => {
    event.preventDefault();
    cockpit.unlock(text().trim());
    setText("");
  };
  return (
    <Dialog.Root open={wanted() || cockpit.asking()} onOpenChange={cockpit.ask} modal>
      <Dialog.Portal>
        <Dialog.Overlay class="veil" />
        <Dialog.Content class="dialog">
          <Dialog.Title>{wanted() ? "This daemon requires a token" : "Enter another token"}</Dialog.Title>
          <Dialog.Description>
            {wanted() ? `${cockpit.locked()?.text ?? ""}. ` : ""}
            <code>phalanx token create NAME --role {wanted() ? "viewer" : "operator"}</code> on the daemon's machine creates
            one. The page keeps it until you close this tab.
          </Dialog.Description>
          <form onSubmit={enter}>
            <label>
              Token
              <input
                type="password"
                autocomplete="off"
                required
                value={text()}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            </label>
            <button type="submit">Enter</button>
          </form>
          <p class="row">
            <Show when={cockpit.entered() !== ""}>
              <button type="button" onClick={() => { cockpit.forget(); }}>
                Delete the token
              </button>
            </Show>
            <Show when={!wanted()}>
              <Dialog.CloseButton>Cancel</Dialog.CloseButton>
            </Show>
          </p>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
