import type { Condition } from "./filter.ts"

interface Group<T> {
  items: readonly T[]
  isAny: boolean
}

interface Level<T> {
  all?: T[] | undefined
  any?: T[] | undefined
}

export const groupOf = <T>({ all, any }: Level<T>) =>
  ({ items: all ?? any ?? [], isAny: all === undefined }) satisfies Group<T>

export const isGroup = ({ all, any }: Level<unknown> & Partial<Condition>): boolean =>
  all !== undefined || any !== undefined
