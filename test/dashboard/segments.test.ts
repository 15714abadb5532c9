import { describe, expect, it } from "vitest"
import {
  faultOf,
  newCondition,
  toDraft,
  toFilter,
} from "../../src/dashboard/pages/segments/draft.ts"
import { conditionWords, notTimesOf } from "../../src/dashboard/pages/segments/words.ts"
import { exactTime } from "../../src/dashboard/ui/time/times.ts"
import type { Condition, SegmentFilter } from "../../src/worker/segments/filter.ts"
import { readWrittenTime } from "../../src/worker/segments/times.ts"

const CONDITIONS: readonly (readonly [Condition, words: string])[] = [
  [{ field: "email", op: "contains", value: "@example" }, "Address contains “@example”"],
  [{ field: "firstName", op: "notSet" }, "First name has no value"],
  [{ field: "subscribed", op: "is", value: false }, "Unsubscribed"],
  [{ field: "createdAt", op: "after", value: "2026-11-23" }, "Added is after Nov 23, 2026"],
  [
    { field: "properties.seen", op: "before", value: "2026-11-23T09:00:00Z" },
    `seen is before ${exactTime("2026-11-23T09:00:00Z")}`,
  ],
  [{ field: "properties.age", op: "above", value: 17.5 }, "age is above 17.5"],
  [{ activity: "clicked" }, "Clicked in a campaign or sequence"],
  [
    { activity: "opened", campaignId: "cmp_1", withinDays: 30, not: true },
    "Did not open “News” in the last 30 days",
  ],
  [{ event: "order.paid" }, "“order.paid” event"],
  [
    { event: "order.paid", count: 2, withinDays: 30 },
    "“order.paid” event at least 2 times in the last 30 days",
  ],
  [{ event: "order.paid", not: true }, "No “order.paid” event"],
]

describe("the conditions of a segment in the form", () => {
  it.each(CONDITIONS)("keep %j as it is, and have words", (condition, words) => {
    const filter: SegmentFilter = { all: [condition, { any: [condition] }] }
    expect(toFilter(toDraft(filter))).toEqual(filter)
    expect(conditionWords(condition, new Map([["cmp_1", "News"]]))).toBe(words)
  })

  it("say an empty text as a missing value, and a negated consent plainly", () => {
    const filter: SegmentFilter = {
      any: [
        { field: "lastName", op: "is", value: "" },
        { field: "lastName", op: "isNot", value: "" },
        { field: "subscribed", op: "isNot", value: true },
      ],
    }
    expect(toFilter(toDraft(filter))).toEqual({
      any: [
        { field: "lastName", op: "notSet" },
        { field: "lastName", op: "set" },
        { field: "subscribed", op: "is", value: false },
      ],
    })
  })

  it.each([
    [{ about: "email", op: "contains", text: "" }, "Enter a value"],
    [{ about: "event", property: " " }, "Enter the name of the event"],
    [{ about: "event", property: "order.paid" }, undefined],
    [{ about: "properties.age", op: "above", text: "many" }, "Enter a number"],
    [{ about: "properties.age", op: "above", text: "1.5" }, undefined],
    [{ about: "createdAt", op: "before", text: "" }, "Choose a day"],
    [{ about: "properties.seen", op: "after", text: "soon" }, "Choose a day"],
    [{ about: "properties.", op: "set" }, "Enter the name of the property"],
    [{ about: "opened", withinDays: "0" }, "Enter at least 1"],
    [{ about: "opened", withinDays: "30" }, undefined],
  ] as const)("find what is wrong with %j", (fields, fault) => {
    expect(faultOf({ ...newCondition(), ...fields })).toBe(fault)
  })
})

describe("the time of a property", () => {
  it.each([
    ["2018-02-12 10:54:27", "2018-02-12T10:54:27Z"],
    ["2018-03-24 10:23:10 UTC", "2018-03-24T10:23:10Z"],
    ["2018-01-02 03:04", "2018-01-02T03:04:00Z"],
    ["2018-01-02T03:04:05", "2018-01-02T03:04:05Z"],
    ["2018-01-02 03:04:05+02:00", "2018-01-02T01:04:05Z"],
    ["2018-01-15 10:23:10.123456+00", "2018-01-15T10:23:10.123Z"],
    ["2018-01-15 10:23:10-03", "2018-01-15T13:23:10Z"],
    ["2018-09-10T11:12:13Z", "2018-09-10T11:12:13Z"],
    ["2018-09-10", "2018-09-10T00:00:00Z"],
    ["2018/09/10", "2018-09-10T00:00:00Z"],
    ["24.3.2018", "2018-03-24T00:00:00Z"],
    ["24.03.2018, 10:23", "2018-03-24T10:23:00Z"],
  ])("is read as other programs write it: %s", (text, time) => {
    expect(readWrittenTime(text)).toBe(Date.parse(time))
  })

  it.each(["03/04/2018", "12-04-2022 09:30", "2018-02-30 10:00", "31.02.2018", "May", "", true])(
    "is none where nobody can tell: %s",
    (text) => {
      expect(readWrittenTime(text)).toBeNull()
    },
  )

  it("is missing in a property that the form then tells of", () => {
    const sample = [
      { properties: { joined: "2018-09-10", since: "03/04/2018", seats: 3 } },
      { properties: { joined: "2018-01-02 03:04", vip: true } },
    ]
    expect([...notTimesOf(sample)]).toEqual([
      ["properties.since", "03/04/2018"],
      ["properties.vip", "true"],
    ])
  })
})
