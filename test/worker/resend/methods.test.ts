import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addKey, makeTeam } from "../../support/team.ts"
import { MAPPED, REFUSED } from "./calls.ts"
import { createResend, methodsOf, routeFetch } from "./package.ts"

let fetched: ReturnType<typeof routeFetch>
beforeAll(() => {
  fetched = routeFetch()
})
afterAll(() => fetched.mockRestore())

const setUp = async () => {
  const team = await makeTeam()
  return { team, resend: createResend(team.api.key) }
}

/** Verifies a signature without a call. */
const LOCAL = ["webhooks.verify"]

it("every method of the package is known here", () => {
  const known = [...Object.keys(MAPPED), ...Object.keys(REFUSED), ...LOCAL]
  expect(methodsOf(createResend("re_123")).toSorted()).toEqual(known.toSorted())
})

describe("a method with a counterpart succeeds", () => {
  it.each(Object.entries(MAPPED))("%s", async (_name, call) => {
    expect(await call(await setUp())).toMatchObject({ data: expect.anything(), error: null })
  })
})

describe("a method without a counterpart says so in Resend's envelope", () => {
  it.each(Object.entries(REFUSED))("%s", async (_name, call) => {
    expect(await call(await setUp())).toMatchObject({
      data: null,
      error: {
        statusCode: 405,
        name: "method_not_allowed",
        message: expect.stringMatching(/^[A-Z].{15,}\.?/),
      },
    })
  })
})

describe("every call checks the key first", () => {
  it.each(Object.entries({ ...MAPPED, ...REFUSED }))("%s", async (_name, call) => {
    const team = await makeTeam()
    const stranger = { team, resend: createResend(`${team.api.key.slice(0, -4)}AAAA`) }
    // Some calls make a record first, and throw the refusal of that.
    const error = await call(stranger).then(
      (reply) => (reply as { error: unknown }).error,
      (failure: Error) => failure.cause,
    )
    expect(error).toMatchObject({ statusCode: 403, name: "invalid_api_key" })
  })
})

it("a sending-only key sends, and is refused everything else", async () => {
  const { team, resend: full } = await setUp()
  const resend = createResend(await addKey(team.id, "sending_only"))
  const mayCall = ["emails.send", "emails.create", "batch.send", "batch.create"]
  for (const name of mayCall) {
    expect(await MAPPED[name]?.({ team, resend })).toMatchObject({ error: null })
  }
  expect(await full.emails.list()).toMatchObject({ data: { data: { length: 4 } } })
  const refused = { statusCode: 401, name: "restricted_api_key" }
  for (const resource of ["domains", "apiKeys", "contacts", "emails", "webhooks"] as const) {
    expect(await resend[resource].list()).toMatchObject({ error: refused })
  }
})
