import { describe, expect, it } from "vitest"
import moving from "../../docs/moving.md?raw"
import { endpoints } from "../../src/worker/contract.ts"
import { ERROR_STATUS } from "../../src/worker/platform/http/errors.ts"
import { MAPPED, REFUSED } from "../worker/resend/calls.ts"

/** The part of the document below a heading, up to the next one. */
const below = (heading: string) => moving.split(`\n${heading}\n`)[1]?.split(/\n#+ /)[0] ?? ""

/** The cells of the tables in a part, row by row. */
const rowsOf = (text: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith("|") && !line.startsWith("|---"))
    .slice(1)
    .map((line) => line.split("|").slice(1, -1))

const quoted = (text = "") => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)

describe("the guide to moving", () => {
  it("names only existing calls", () => {
    const calls = [...moving.matchAll(/`(GET|POST|PATCH|DELETE) \/api\/v1(\/[^`]*)`/g)]
    expect(calls.length).toBeGreaterThan(20)
    const known = new Set(endpoints.map(({ method, path }) => `${method} ${path}`))
    expect(
      calls.map(([, method, path]) => `${method} ${path}`).filter((c) => !known.has(c)),
    ).toEqual([])
  })

  it("lists the methods of the resend package that work", () => {
    const listed = rowsOf(below("#### What works")).flatMap(([resources, methods]) =>
      quoted(resources).flatMap((resource) =>
        quoted(methods)
          .filter((method) => !method.includes(":"))
          .map((method) => `${resource}.${method}`),
      ),
    )
    expect(listed.toSorted()).toEqual([...Object.keys(MAPPED), "webhooks.verify"].toSorted())
  })

  it("lists the methods of the resend package that are refused", () => {
    const listed = rowsOf(below("#### What is refused")).flatMap(([methods]) => {
      const names = quoted(methods)
      const resource = names[0]?.split(".")[0]
      return names.map((name) => (name.includes(".") ? name : `${resource}.${name}`))
    })
    const covers = (pattern: string, method: string) =>
      pattern.endsWith(".*") ? method.startsWith(pattern.slice(0, -1)) : method === pattern
    const refused = Object.keys(REFUSED)
    const missing = refused.filter((method) => !listed.some((one) => covers(one, method)))
    const extra = listed.filter((one) => !refused.some((method) => covers(one, method)))
    const wrong = Object.keys(MAPPED).filter((method) => listed.some((one) => covers(one, method)))
    expect({ missing, extra, wrong }).toEqual({ missing: [], extra: [], wrong: [] })
  })

  it("has a row for every error code", () => {
    const codes = rowsOf(below("#### What is different")).flatMap(([code]) => quoted(code))
    expect(codes.toSorted()).toEqual(Object.keys(ERROR_STATUS).toSorted())
  })
})
