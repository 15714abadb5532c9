import type { Ctx, Work } from "../context.ts"
import { namedBatch, type Queries, type Query } from "./client.ts"

/**
 * A statement of a batch, and the step that follows its commit, such as a queue message. The
 * statement stores everything that the step needs, so a sweep can repeat a lost step.
 */
export interface WithAfterCommit<Q extends Query = Query> {
  query: Q
  follow(work: Work, answer: Q["_"]["result"]): Promise<unknown> | undefined
}

export type Statement = Query | WithAfterCommit

type AnswerOf<S> =
  S extends WithAfterCommit<infer Q>
    ? Q["_"]["result"]
    : S extends Query
      ? S["_"]["result"]
      : S extends readonly Statement[]
        ? { [Index in keyof S]: AnswerOf<S[Index]> }
        : never

type Answers<Statements> = { [Name in keyof Statements]: AnswerOf<Statements[Name]> }

export const afterCommit = <Q extends Query>(
  query: Q,
  follow: WithAfterCommit<Q>["follow"],
): WithAfterCommit<Q> => ({
  query,
  follow,
})

/**
 * Writes rows with their events and stream changes, in one batch. Each answer has the name of its
 * statement. The steps that follow the commit are deferred: a reply does not wait for them.
 */
export async function commit<S extends Record<string, Statement | readonly Statement[]>>(
  at: Work & Partial<Pick<Ctx, "batch">>,
  statements: S,
): Promise<Answers<S>> {
  const all = Object.values(statements).flat() as Statement[]
  const batch = async (queries: Queries) => {
    if (all.length === 0) return []
    const answers: readonly unknown[] = await (at.batch ? at.batch(queries) : at.db.batch(queries))
    for (const [index, one] of all.entries()) {
      const step = "follow" in one ? one.follow(at, answers[index]) : undefined
      if (step) at.defer(step)
    }
    return answers
  }
  const queries = Object.entries(statements).map(([name, one]) => [
    name,
    isList(one) ? one.map(queryOf) : queryOf(one),
  ])
  return (await namedBatch({ batch }, Object.fromEntries(queries))) as Answers<S>
}

const isList = (one: Statement | readonly Statement[]): one is readonly Statement[] =>
  Array.isArray(one)

const queryOf = (one: Statement): Query => ("follow" in one ? one.query : one)

/** For consumers: waits for everything that `act` defers, and fails if one of these steps fails. */
export async function withDeferred<T>(work: Work, act: (work: Work) => Promise<T>): Promise<T> {
  const deferred: Promise<unknown>[] = []
  const defer = (step: Promise<unknown>) => {
    // A step may fail while a later one still runs.
    step.catch(() => {})
    deferred.push(step)
  }
  try {
    return await act({ ...work, defer })
  } finally {
    await Promise.allSettled(deferred)
    await Promise.all(deferred)
  }
}
