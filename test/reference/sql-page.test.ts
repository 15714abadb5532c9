import { expect, it } from "vitest"
import page from "../../docs/sql.md?raw"
import * as columns from "../../src/worker/platform/db/columns.ts"
import * as jsonRows from "../../src/worker/platform/db/json-rows.ts"
import * as perOwner from "../../src/worker/platform/db/per-owner.ts"
import * as prepared from "../../src/worker/platform/db/prepared.ts"

it("the page about SQL shows every helper, which are at most twelve", () => {
  const helpers = Object.keys({ ...columns, ...jsonRows, ...perOwner, ...prepared })
  const named = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(named.toSorted()).toEqual(helpers.toSorted())
  expect(helpers.length).toBeLessThanOrEqual(12)
  const [example = ""] = /^```ts\n[\s\S]*?^```$/m.exec(page) ?? []
  expect(
    helpers.filter((name) => !example.includes(`${name}(`) && !example.includes(`${name}<`)),
  ).toEqual([])
})
