/** Problems that need attention now. */
import { Index, Show, type JSX } from "solid-js";
import { AlertKind } from "../gen/phalanx/v1/team_pb";
import { word } from "../match/words";
import { useCockpit } from "../state/cockpit";

/** The team's alerts; nothing while there are none. */
export function Alerts(): JSX.Element {
  const cockpit = useCockpit();
  return (
    <Show when={(cockpit.team()?.alerts.length ?? 0) > 0}>
      <section class="card alerts" aria-labelledby="alerts">
        <h2 id="alerts">Alerts</h2>
        <ul>
          <Index each={cockpit.team()?.alerts}>
            {(alert) => (
              <li>
                <strong>{word(AlertKind, alert().kind)}</strong>{" "}
                <Show when={alert().agent !== ""}>
                  <button
                    type="button"
                    class="as-link"
                    onClick={() => {
                      cockpit.go({ view: "agents", agent: alert().agent });
                    }}
                  >
                    {alert().agent}
                  </button>
                  {": "}
                </Show>
                {alert().text}
                <span class="dim">
                  {" "}
                  since {alert().since?.round}:{alert().since?.step}
                </span>
              </li>
            )}
          </Index>
        </ul>
      </section>
    </Show>
  );
}

