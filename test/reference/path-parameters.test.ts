import { expect, it } from "vitest"
import { pathParameters } from "../../src/reference/curl.ts"
import { dashboardEndpoints, endpoints } from "../../src/worker/contract.ts"

const all = [...endpoints, ...dashboardEndpoints].flatMap(({ path }) =>
  pathParameters(path).map((parameter) => ({ path, ...parameter })),
)

it("an email's id is shown in the paths of emails only", () => {
  const shown = all.filter(({ example }) => example.startsWith("em_"))
  expect(shown.length).toBeGreaterThan(0)
  expect(shown.filter(({ path }) => !path.includes("/emails/:id"))).toEqual([])
})

it("the id of a member is a person's, and that of an invitation its own", () => {
  const examplesOf = (path: string) =>
    all.filter((one) => one.path === path).map(({ example }) => example.slice(0, 4))
  expect(examplesOf("/members/:id")).toContain("usr_")
  expect(examplesOf("/invitations/:id")).toContain("inv_")
})
