/** Asks for a token when the daemon wants one. */
import * as Dialog from "@kobalte/core/dialog";
import { createSignal, type JSX } from "solid-js";
import { useCockpit } from "../state/cockpit";

/** The question; it stays until the daemon takes the token. */
export function Login(): JSX.Element {
  const cockpit = useCockpit();
  const [text, setText] = createSignal("");
  const enter = (event: SubmitEvent): void => {
    event.preventDefault();
    cockpit.unlock(text().trim());
    setText("");
  };
  return (
    <Dialog.Root open={cockpit.locked() !== undefined} modal>
      <Dialog.Portal>
        <Dialog.Overlay class="veil" />
        <Dialog.Content class="dialog">
          <Dialog.Title>This daemon wants a token</Dialog.Title>
          <Dialog.Description>
            {cockpit.locked()?.text}. <code>phalanx token create NAME --role viewer</code> on the daemon's machine makes
            one. It is kept until this tab is closed.
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
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
