import { store } from "../store.ts"

export const DENSITIES = ["Compact", "Comfortable"] as const
type Density = (typeof DENSITIES)[number]

const STORED = "density"
const chosen = store<Density>(
  localStorage.getItem(STORED) === "comfortable" ? "Comfortable" : "Compact",
)

/** The height of rows, chosen in this browser. */
export const density = {
  use: chosen.use,
  set(next: Density) {
    if (next === "Compact") localStorage.removeItem(STORED)
    else localStorage.setItem(STORED, next.toLowerCase())
    chosen.set(next)
  },
}

const COMPACT_PX = 36
const COMFORTABLE_PX = 44

/** On a phone, a row has two lines. */
export const useRowHeight = (isPhone: boolean) =>
  density.use() === "Compact" && !isPhone ? COMPACT_PX : COMFORTABLE_PX
