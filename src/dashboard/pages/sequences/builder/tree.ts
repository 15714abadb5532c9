import type { Step } from "../../../../worker/sequences/definition/steps-contract.ts"

/** A list of steps: that of the sequence, or a path of a step. */
export type ListId = string
export const TOP: ListId = "top"
export const listId = (key: string, path: string): ListId => `${key}/${path}`

export interface Place {
  list: ListId
  index: number
}

interface Path {
  id: string
  steps: readonly Step[]
}

/** What a step leads to, side by side. */
export function pathsOf(step: Step): Path[] {
  switch (step.kind) {
    case "waitFor":
      return [
        { id: "then", steps: step.then },
        { id: "else", steps: step.else },
      ]
    case "branch":
      return [
        ...step.cases.map(({ steps }, index) => ({ id: String(index), steps })),
        { id: "else", steps: step.else },
      ]
    case "split":
      return step.parts.map(({ steps }, index) => ({ id: String(index), steps }))
    default:
      return []
  }
}

function withPath(step: Step, id: string, steps: Step[]): Step {
  const at = Number(id)
  const put = <T extends { steps: Step[] }>(list: T[]) =>
    list.map((one, index) => (index === at ? { ...one, steps } : one))
  switch (step.kind) {
    case "waitFor":
      return { ...step, [id]: steps }
    case "branch":
      return id === "else" ? { ...step, else: steps } : { ...step, cases: put(step.cases) }
    case "split":
      return { ...step, parts: put(step.parts) }
    default:
      return step
  }
}

/** All lists with their steps, the sequence's own first. */
function listsOf(steps: readonly Step[]): Map<ListId, readonly Step[]> {
  const lists = new Map<ListId, readonly Step[]>([[TOP, steps]])
  const add = (list: readonly Step[]) => {
    for (const step of list) {
      for (const { id, steps } of pathsOf(step)) {
        lists.set(listId(step.key, id), steps)
        add(steps)
      }
    }
  }
  add(steps)
  return lists
}

/** All keys as one reads the sequence. */
export const keysInOrder = (steps: readonly Step[]): string[] =>
  steps.flatMap((step) => [step.key, ...pathsOf(step).flatMap((path) => keysInOrder(path.steps))])

export function placeOf(steps: readonly Step[], key: string): Place | undefined {
  for (const [list, inside] of listsOf(steps)) {
    const index = inside.findIndex((step) => step.key === key)
    if (index !== -1) return { list, index }
  }
  return undefined
}

export function stepOf(steps: readonly Step[], key: string): Step | undefined {
  const place = placeOf(steps, key)
  return place && listsOf(steps).get(place.list)?.[place.index]
}

function changeList(
  steps: readonly Step[],
  list: ListId,
  change: (inside: readonly Step[]) => readonly Step[],
): Step[] {
  if (list === TOP) return [...change(steps)]
  return steps.map((step) =>
    pathsOf(step).reduce((changed, { id, steps: inside }) => {
      const isIt = listId(step.key, id) === list
      return withPath(changed, id, isIt ? [...change(inside)] : changeList(inside, list, change))
    }, step),
  )
}

export const insert = (steps: readonly Step[], { list, index }: Place, step: Step): Step[] =>
  changeList(steps, list, (inside) => inside.toSpliced(index, 0, step))

/** Takes a step away, with all that is inside of it. */
export function remove(steps: readonly Step[], key: string): Step[] {
  const place = placeOf(steps, key)
  if (!place) return [...steps]
  return changeList(steps, place.list, (inside) => inside.toSpliced(place.index, 1))
}

/** Puts the steps of one path in the place of the step that has it. */
export function join(steps: readonly Step[], key: string, path: string): Step[] {
  const place = placeOf(steps, key)
  const kept = listsOf(steps).get(listId(key, path))
  if (!place || !kept) return [...steps]
  return changeList(steps, place.list, (inside) => inside.toSpliced(place.index, 1, ...kept))
}

/** `to` is a place among the steps as they are before the move. A step cannot move into itself. */
export function move(steps: readonly Step[], key: string, to: Place): Step[] {
  const from = placeOf(steps, key)
  const step = stepOf(steps, key)
  if (!from || !step || isInside(step, to.list)) return [...steps]
  const isLater = from.list === to.list && from.index < to.index
  return insert(remove(steps, key), { ...to, index: to.index - (isLater ? 1 : 0) }, step)
}

const isInside = (step: Step, list: ListId) => listsOf([step]).has(list) && list !== TOP

export const update = (
  steps: readonly Step[],
  key: string,
  change: (step: Step) => Step,
): Step[] => {
  const place = placeOf(steps, key)
  if (!place) return [...steps]
  return changeList(steps, place.list, (inside) =>
    inside.map((step) => (step.key === key ? change(step) : step)),
  )
}

/** The place one step up or down. At the end of a path it is before or after the step that has the path. */
export function placeBeside(steps: readonly Step[], key: string, by: -1 | 1): Place | undefined {
  const place = placeOf(steps, key)
  if (!place) return undefined
  const { list, index } = place
  const length = listsOf(steps).get(list)?.length ?? 0
  const next = index + (by === 1 ? 2 : -1)
  if (next >= 0 && next <= length) return { list, index: next }
  const around = placeOf(steps, ownerOf(list))
  return around && { list: around.list, index: around.index + (by === 1 ? 1 : 0) }
}

/** The end of the path to the left or right. */
export function placeAcross(steps: readonly Step[], key: string, by: -1 | 1): Place | undefined {
  const list = placeOf(steps, key)?.list
  const owner = list && stepOf(steps, ownerOf(list))
  if (!owner) return undefined
  const paths = pathsOf(owner)
  const at = paths.findIndex(({ id }) => listId(owner.key, id) === list)
  const next = paths[at + by]
  return next && { list: listId(owner.key, next.id), index: next.steps.length }
}

const ownerOf = (list: ListId) => list.slice(0, Math.max(0, list.lastIndexOf("/")))

/** `wait`, or `wait-2` where there is one. */
export function freshKey(steps: readonly Step[], base: string): string {
  const taken = new Set(keysInOrder(steps))
  for (let number = 1; ; number++) {
    const key = number === 1 ? base : `${base}-${number}`
    if (!taken.has(key)) return key
  }
}

/** A step with new keys, also for all that is inside of it. */
export function copyOf(steps: readonly Step[], key: string): Step | undefined {
  const step = stepOf(steps, key)
  if (!step) return undefined
  const all = [...steps]
  const rename = (one: Step): Step => {
    const copy = { ...one, key: freshKey(all, one.key.replace(/-\d+$/, "").slice(0, 36)) }
    all.push({ key: copy.key, kind: "end" })
    return pathsOf(one).reduce(
      (changed, { id, steps }) => withPath(changed, id, steps.map(rename)),
      copy,
    )
  }
  return rename(step)
}

/** The step that a path of an issue leads to, such as `[0, "cases", 1, "steps", 0, "subject"]`. */
export function stepAt(
  steps: readonly Step[],
  path: readonly PropertyKey[],
): { key: string; rest: readonly PropertyKey[] } | undefined {
  const step = steps[Number(path[0])]
  if (!step) return undefined
  const [, member, index, inner] = path
  const inList =
    member === "then" || member === "else"
      ? { id: String(member), rest: path.slice(2) }
      : inner === "steps"
        ? { id: String(index), rest: path.slice(4) }
        : undefined
  const list = inList && pathsOf(step).find(({ id }) => id === inList.id)?.steps
  return (list && stepAt(list, inList.rest)) ?? { key: step.key, rest: path.slice(1) }
}

/** Changes the blocks of all steps that send. */
export const mapBlocks = (
  steps: readonly Step[],
  change: (blocks: NonNullable<Extract<Step, { kind: "send" }>["blocks"]>) => typeof blocks,
): Step[] =>
  steps.map((step) => {
    if (step.kind === "send") return step.blocks ? { ...step, blocks: change(step.blocks) } : step
    return pathsOf(step).reduce<Step>(
      (changed, { id, steps: inside }) => withPath(changed, id, mapBlocks(inside, change)),
      step,
    )
  })
