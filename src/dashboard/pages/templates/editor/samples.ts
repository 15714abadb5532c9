import type { Samples } from "./try-render.ts"

const keyOf = (id: string) => `samples ${id}`

/** Sample values belong to the tab: a reload keeps them, and nobody else sees them. */
export const readSamples = (id: string): Samples =>
  JSON.parse(sessionStorage.getItem(keyOf(id)) ?? "{}")

export const keepSamples = (id: string, samples: Samples) =>
  sessionStorage.setItem(keyOf(id), JSON.stringify(samples))
