/** Pieces of script, run as an agent. */
import { createSignal, For, Show, type JSX } from "solid-js";
import { faultOf } from "../api/fault";
import { useCockpit } from "../state/cockpit";

/** Answers that stay on the screen. */
const KEPT = 50;

interface Exchange {
  readonly code: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly error: string;
}

/** A console that keeps its own history. */
export function Console(props: { agent: string }): JSX.Element {
  const cockpit = useCockpit();
  const session = `page-${crypto.getRandomValues(new Uint32Array(2)).join("-")}`;
  const [code, setCode] = createSignal("");
  const [live, setLive] = createSignal(false);
  const [said, setSaid] = createSignal<readonly Exchange[]>([]);
  const [past, setPast] = createSignal(0);
  const run = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const text = code();
    if (text.trim() === "") return;
    setCode("");
    setPast(0);
    let exchange: Exchange;
    try {
      const answer = await cockpit.api.strategies.evalScript({
        team: `teams/${cockpit.place().team}`,
        agent: props.agent,
        code: text,
        live: live(),
        session: live() ? "" : session,
      });
      exchange = { code: text, text: answer.text, lines: answer.lines, error: answer.error };
    } catch (error) {
      exchange = { code: text, text: "", lines: [], error: faultOf(error).text };
    }
    setSaid((before) => [...before.slice(-KEPT + 1), exchange]);
  };
  const recall = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    if (by === 0) return;
    const next = Math.min(Math.max(0, past() + by), said().length);
    setPast(next);
    setCode(next === 0 ? "" : (said().at(-next)?.code ?? ""));
    event.preventDefault();
  };
  return (
    <div class="console">
      <div class="boxed tall" role="log" tabIndex={0} aria-label="Answers">
        <For each={said()} fallback={<p class="dim">An expression, such as me.name or board.get("key"), or statements.</p>}>
          {(it) => (
            <div>
              <pre class="dim">&gt; {it.code}</pre>
              <For each={it.lines}>{(text) => <pre>{text}</pre>}</For>
              <Show when={it.text !== ""}>
                <pre>{it.text}</pre>
              </Show>
              <Show when={it.error !== ""}>
                <pre class="bad">{it.error}</pre>
              </Show>
            </div>
          )}
        </For>
      </div>
      <form class="row" onSubmit={(event) => void run(event)}>
        <label class="stretch">
          <span class="hidden-label">Script</span>
          <input
            class="mono"
            value={code()}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setCode(event.currentTarget.value)}
            onKeyDown={recall}
          />
        </label>
        <button type="submit">Run</button>
        <label class="check" title="With this, the script may change memory and board. Without it, the script runs on a copy.">
          <input type="checkbox" checked={live()} onChange={(event) => setLive(event.currentTarget.checked)} />
          in the living match
        </label>
      </form>
    </div>
  );
}
