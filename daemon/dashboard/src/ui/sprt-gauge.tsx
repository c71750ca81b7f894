/** A sequential test: where the evidence is between both of its bounds. */
import type { JSX } from "solid-js";
import type { LeagueSprtState } from "../gen/phalanx/v1/league_pb";

/** `lower` and `upper` say what is decided at the ends. */
export function SprtGauge(props: { state: LeagueSprtState; lower: string; upper: string }): JSX.Element {
  const place = (): number => {
    const { llr, lower, upper } = props.state;
    return upper > lower ? Math.min(1, Math.max(0, (llr - lower) / (upper - lower))) : 0.5;
  };
  const zero = (): number => {
    const { lower, upper } = props.state;
    return upper > lower ? Math.min(1, Math.max(0, -lower / (upper - lower))) : 0.5;
  };
  const two = (value: number): string => value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 }).replace("-", "−");
  return (
    <div class="gauge">
      <div class="gauge-track" role="img" aria-label={`Log-likelihood ratio ${two(props.state.llr)}; ${props.lower} below ${two(props.state.lower)}, ${props.upper} above ${two(props.state.upper)}`}>
        <span class="gauge-zero" style={{ left: `${zero() * 100}%` }} />
        <span class="gauge-mark" style={{ left: `${place() * 100}%` }} />
      </div>
      <div class="gauge-foot">
        <span>
          {props.lower} <span class="dim">{two(props.state.lower)}</span>
        </span>
        <span>
          evidence <strong>{two(props.state.llr)}</strong>
        </span>
        <span>
          {props.upper} <span class="dim">{two(props.state.upper)}</span>
        </span>
      </div>
    </div>
  );
}
