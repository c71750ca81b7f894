/** How the connection to the daemon is. */
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

/** A lamp with a word; what is wrong stands in full below it. */
export function LinkBadge(): JSX.Element {
  const cockpit = useCockpit();
  const detail = (): string => {
    const link = cockpit.link();
    if (link.kind === "lost") return `${link.text}; it is tried again`;
    if (link.kind === "ended") return "the match is over; nothing more is told of it";
    return link.kind === "refused" ? link.fault.text : "";
  };
  return (
    <span class="link" data-link={cockpit.link().kind} role="status" title={detail()}>
      <span class="lamp" aria-hidden="true" />
      {WORDS[cockpit.link().kind]}
    </span>
  );
}
