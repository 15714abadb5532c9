import { exampleTimeAhead } from "../example.ts"

/** Where the build puts the documents, below the Worker's assets. */
export const DOCS_ASSETS = "/docs/assets/"

/** Placeholders in the built documents. Only a request knows their values. */
export const BUILT_ORIGIN = "https://edgepost.invalid"
const BUILT_TIME = "{{time ahead}}"

/** A document of the build: the time of its examples becomes a placeholder. */
export const toBuilt = (text: string): string => text.replaceAll(exampleTimeAhead(), BUILT_TIME)

/** The document as this installation shows it today. */
export const fromBuilt = (text: string, origin: string): string =>
  text.replaceAll(BUILT_ORIGIN, origin).replaceAll(BUILT_TIME, exampleTimeAhead())
