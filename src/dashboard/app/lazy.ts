import { lazy as reactLazy } from "react"
import { loadCode } from "./load-code.ts"

/** A component whose code is loaded when it is first shown, however often that takes. */
export const lazy: typeof reactLazy = (load) => reactLazy(() => loadCode(load))
