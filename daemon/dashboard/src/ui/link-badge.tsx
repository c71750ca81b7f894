/** The state of the connection to the daemon. */
import type { JSX } from "solid-js";
import type { StreamState } from "../live/follow";
import { useCockpit } from "../state/cockpit";

const WORDS: Readonly<Record<StreamState["kind"], string>> = {
  idle: "resting",
  connecting: "connecting",
  live: "live",
  ended: "ended",
  lost: "connection lost",
  refused: "refused",
};

/** A lamp with a word; the tooltip has the details. */
export function LinkBadge(): JSX.Element {
  const cockpit = useCockpit();
  const detail = (): string => {
    const link = cockpit.link();
    if (link.kind === "lost") return `${link.text}. The page keeps trying.`;
    if (link.kind === "ended") return "The match is over, so the daemon sends no more events.";
    return link.kind === "refused" ? link.fault.text : "";
  };
  return (
    <span class="link" data-link={cockpit.link().kind} role="status" title={detail()}>
      <span class="lamp" aria-hidden="true" />
      {WORDS[cockpit.link().kind]}
    </span>
  );
}
