/** The desk of a script's author: the editor beside the match, with what the scripts say at their lines. */
import * as Tabs from "@kobalte/core/tabs";
import { createEffect, createMemo, createSignal, on, Show, type JSX } from "solid-js";
import type { Code } from "../editor/code";
import { notesAt, type Note } from "../editor/notes";
import { createOrigins } from "../editor/origins";
import { placedNotes } from "../editor/placing";
import { referenceOf, type Entry, type Group } from "../editor/reference";
import { namesOf } from "../editor/signatures";
import { createStage } from "../editor/source";
import { createWorkspace, type Workspace } from "../editor/workspace";
import { useCockpit } from "../state/cockpit";
import { Split } from "../ui/split";
import { Files } from "./strategy-files";
import { Generations } from "./strategy-generations";
import { Leagues } from "./strategy-leagues";
import { Params } from "./strategy-params";
import { Reasons } from "./strategy-reasons";
import { Reference } from "./strategy-reference";
import { StagePane } from "./strategy-stage";
import "../editor/desk.css";

/** The signatures of each game's scripts; only those of the chosen team are fetched. */
const SIGNATURES = import.meta.glob<string>("../../../../scripts/types/*.d.luau", { query: "?raw", import: "default" });

/** Editor on the left; map, reasons and reference on the right. */
export default function StrategyView(): JSX.Element {
  const cockpit = useCockpit();
  const work = createWorkspace();
  const stage = createStage();
  const [tab, setTab] = createSignal("reasons");
  const [groups, setGroups] = createSignal<readonly Group[]>([]);
  const [code, setCode] = createSignal<Code>();
  const chosen = (): string => cockpit.place().agent;
  const names = createMemo(() => new Map(groups().flatMap(({ entries }) => entries.map((it): [string, Entry] => [it.name, it]))));
  const notes = createMemo((): readonly Note[] => {
    const source = stage.source();
    source.version();
    return notesAt(source.turns, source.lines, stage.at());
  });
  const origins = createOrigins(work, stage, notes);
  const filesWith = (wanted: (note: Note) => boolean): ReadonlySet<string> => new Set(notes().filter(wanted).map(({ file }) => file));
  const pick = (agent: string): void => {
    setTab("reasons");
    cockpit.go({ agent }, { replace: true });
  };
  createEffect(
    on(cockpit.game, (game) => {
      void SIGNATURES[`../../../../scripts/types/${game ?? ""}.d.luau`]?.().then((text) => {
        setGroups(referenceOf(text));
        code()?.complete(namesOf(text));
      });
    }),
  );
  createEffect(() => {
    code()?.notes(placedNotes(notes(), { path: work.path(), text: work.text() }, (generation) => origins.source(generation, work.path()), chosen()));
  });
  const insert = (): ((template: string) => void) | undefined => (work.may() && work.path() !== "" ? (template) => code()?.insert(template) : undefined);
  return (
    <div class="desk">
      <Split
        name="desk"
        axis="x"
        label="Width of the editor"
        share={56}
        first={
          <Files
            work={work}
            beside={{ pick, save: work.save, describe: (name) => names().get(name) }}
            failing={filesWith(({ failed }) => failed)}
            deciding={filesWith(({ failed, fresh }) => fresh && !failed)}
            ready={setCode}
          />
        }
        second={
          <Split
            name="desk-map"
            axis="y"
            label="Height of the map"
            share={56}
            first={<StagePane stage={stage} foreign={origins.foreign()} chosen={chosen()} choose={pick} />}
            second={
              <section class="card desk-panel" aria-label="About the strategy">
                <Tabs.Root value={tab()} onChange={setTab}>
                  <Tabs.List class="tabs" aria-label="About the strategy">
                    <Tabs.Trigger value="reasons">Reasons</Tabs.Trigger>
                    <Tabs.Trigger value="reference">Reference</Tabs.Trigger>
                    <Tabs.Trigger value="params">Parameters</Tabs.Trigger>
                    <Tabs.Trigger value="versions">Versions</Tabs.Trigger>
                    <Tabs.Trigger value="leagues">Leagues</Tabs.Trigger>
                  </Tabs.List>
                  <Tabs.Content value="reasons">
                    <Reasons stage={stage} notes={notes()} chosen={chosen()} pick={pick} goTo={work.open} />
                  </Tabs.Content>
                  <Tabs.Content value="reference">
                    <Reference groups={groups()} insert={insert()} />
                  </Tabs.Content>
                  <Tabs.Content value="params">
                    <Params team={work.team} />
                  </Tabs.Content>
                  <Tabs.Content value="versions">
                    <Decides work={work} />
                    <Generations team={work.team} now={work.strategy()?.generation?.number ?? 0} changed={() => void work.load(true)} />
                  </Tabs.Content>
                  <Tabs.Content value="leagues">
                    <Leagues folder={work.strategy()?.folder ?? ""} />
                  </Tabs.Content>
                </Tabs.Root>
              </section>
            }
          />
        }
      />
    </div>
  );
}

function Decides(props: { work: Workspace }): JSX.Element {
  return (
    <Show when={props.work.strategy()}>
      {(it) => (
        <section class="card" aria-labelledby="decides">
          <h2 id="decides">What decides</h2>
          <dl class="pairs">
            <dt>From</dt>
            <dd>{it().generation?.origin}</dd>
            <dt>Folder</dt>
            <dd>{it().folder || "built into the program"}</dd>
            <dt>Files</dt>
            <dd>{it().watching ? "the daemon loads changed files" : "changed files wait until you unpin"}</dd>
          </dl>
          <Show when={it().onProbation}>
            <p class="warn">This generation is new: after too many errors the daemon rolls it back.</p>
          </Show>
          <button type="button" disabled={!props.work.may()} onClick={props.work.pin}>
            {it().pinned ? "Unpin" : "Pin it"}
          </button>
        </section>
      )}
    </Show>
  );
}
