/** What an agent sees or remembers, read in a copy of its world. */
import { createEffect, createSignal, on, Show, type JSX } from "solid-js";
import { faultOf } from "../api/fault";
import { useCockpit } from "../state/cockpit";

/** The value of a piece of script, as it is now. */
export function Insight(props: { agent: string; code: string; what: string }): JSX.Element {
  const cockpit = useCockpit();
  const [text, setText] = createSignal("");
  const [trouble, setTrouble] = createSignal("");
  const [step, setStep] = createSignal<number>();
  const look = async (): Promise<void> => {
    try {
      const { team } = cockpit.place();
      const answer = await cockpit.api.strategies.evalScript({ team: `teams/${team}`, agent: props.agent, code: props.code });
      setText(answer.text);
      setTrouble(answer.error);
      setStep(answer.step);
    } catch (error) {
      setTrouble(faultOf(error).text);
    }
  };
  createEffect(on([() => props.agent, () => props.code], () => void look()));
  return (
    <div>
      <p class="row">
        <button type="button" onClick={() => void look()}>
          Refresh
        </button>
        <span class="dim">
          {props.what}
          {step() === undefined ? "" : `, in step ${step() ?? 0}`}
        </span>
      </p>
      <Show when={trouble() !== ""}>
        <p class="warn">{trouble()}</p>
      </Show>
      <pre class="boxed tall" tabIndex={0}>{text()}</pre>
    </div>
  );
}
