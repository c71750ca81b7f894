import { render } from "solid-js/web";
import { App } from "./app";

const root = document.getElementById("page");
if (root !== null) render(() => <App />, root);
