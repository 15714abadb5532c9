import { describe, expect, it } from "vitest"
import {
  fromViewQuery,
  isSameQuery,
  toViewQuery,
} from "../../src/dashboard/pages/emails/search/view-query.ts"
import { viewInput } from "../../src/worker/views/contract.ts"

const SEARCHES = [
  "status:bounced tag:plan:pro @example.com since:7d late invoice",
  'status:bounced status:failed tag:"kind:two words" tag:plan opened:yes clicked:no',
  "ada@example.com domain:dom_1 template:tpl_1 campaign:cmp_1 key:key_1",
  "since:24h until:2026-11-01T09:30Z",
]

describe("a view of the emails", () => {
  it.each(SEARCHES)("keeps %s, as the service accepts it", (q) => {
    const query = toViewQuery(q)
    expect(viewInput.safeParse({ name: "View", query }).error).toBeUndefined()
    expect(toViewQuery(fromViewQuery(query))).toEqual(query)
  })

  it("stays relative to now", () => {
    expect(toViewQuery("since:7d")).toEqual({ since: "7d" })
    expect(fromViewQuery({ since: "7d" })).toBe("since:7d")
  })

  it("keeps the times of the days that are chosen", () => {
    const query = toViewQuery("since:2026-11-02 until:2026-11-03")
    expect(query.until).toBe(new Date("2026-11-04T00:00").toISOString())
    expect(isSameQuery(query, toViewQuery(fromViewQuery(query)))).toBe(true)
  })

  it("is the same in another order, and another one with another value", () => {
    const one = toViewQuery("status:bounced status:failed tag:a since:7d")
    expect(isSameQuery(one, toViewQuery("since:7d tag:a status:failed status:bounced"))).toBe(true)
    expect(isSameQuery(one, toViewQuery("since:8d tag:a status:failed status:bounced"))).toBe(false)
    expect(isSameQuery(one, toViewQuery("since:7d tag:a status:failed"))).toBe(false)
  })
})
