/** Dark or light: the system's choice until the user chooses. */
import { createContext, createEffect, createSignal, onCleanup, useContext, type Accessor } from "solid-js";

const KEY = "phalanx.theme";
const NAMES = ["system", "dark", "light"] as const;
type Name = (typeof NAMES)[number];

/** The page's colours. */
export interface Theme {
  readonly name: Accessor<Name>;
  readonly dark: Accessor<boolean>;
  readonly next: () => void;
}

/** The colours, for canvases too. */
export const ThemeContext = createContext<Theme>();

/** The page's colours. */
export function useTheme(): Theme {
  const theme = useContext(ThemeContext);
  if (theme === undefined) throw new Error("this component is not inside the page's theme provider");
  return theme;
}

/** Reads what was chosen. */
export function createTheme(): Theme {
  const media = matchMedia("(prefers-color-scheme: dark)");
  const [system, setSystem] = createSignal(media.matches);
  const kept = NAMES.find((known) => known === localStorage.getItem(KEY));
  const [name, setName] = createSignal<Name>(kept ?? "system");
  const heard = (): void => void setSystem(media.matches);
  media.addEventListener("change", heard);
  onCleanup(() => {
    media.removeEventListener("change", heard);
  });
  createEffect(() => {
    localStorage.setItem(KEY, name());
    document.documentElement.dataset["theme"] = name();
  });
  const dark = (): boolean => (name() === "system" ? system() : name() === "dark");
  return {
    name,
    dark,
    next: () => void setName(dark() ? "light" : "dark"),
  };
}
