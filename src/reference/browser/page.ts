import { showChoices } from "./choices.ts"
import { followReader } from "./contents.ts"
import { addCopyButtons } from "./copy.ts"
import { addSearch } from "./search.ts"

document.documentElement.classList.add("scripted")
showChoices()
addCopyButtons()
followReader()
addSearch()
