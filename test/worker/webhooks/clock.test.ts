import { env } from "cloudflare:workers"
import { beforeAll, describe, expect, it } from "vitest"
import { claimDue } from "../../../src/worker/webhooks/deliveries/claim.sql.ts"
import { sweepDeliveries } from "../../../src/worker/webhooks/deliveries/sweep.ts"
import { fakeInternet, type Internet } from "../../support/internet.ts"
import {
  DAY,
  dispatch,
  domainEvent,
  HOUR,
  happen,
  MINUTE,
  never,
  rowOf,
  setUp,
  subscribe,
} from "./carrying.ts"

let internet: Internet
beforeAll(() => {
  internet = fakeInternet()
})

/** A webhook whose receiver tells its senders to come back in a day. */
async function busy() {
  const set = await setUp()
  const headers = { "retry-after": String(DAY / 1_000) }
  const receiver = internet.receiver(() => new Response(null, { status: 429, headers }))
  const { id } = await subscribe(set.team, receiver.url)
  const ref = { teamId: set.team.id, webhookId: id }
  const ahead = async (act: () => Promise<unknown>) => {
    set.clock.advance(HOUR)
    await act()
    set.clock.advance(-HOUR)
    set.sent.length = 0
  }
  /** What the sweep of the next minute leads to. */
  const sweep = async () => {
    set.clock.advance(MINUTE)
    await sweepDeliveries(set.work)
    const hints = set.sent
      .splice(0)
      .flatMap(({ message }) => ("webhooks" in message ? message.webhooks : []))
    await dispatch(
      set.work,
      hints.filter(({ webhookId }) => webhookId === id),
    )
    return receiver.received().length
  }
  return { ...set, receiver, ref, ahead, sweep }
}

describe("a clock that was ahead once delays", () => {
  it("no delivery that it made", async () => {
    const { team, work, ahead, sweep } = await busy()
    await ahead(() => happen(work, domainEvent(work, team)))
    expect(await sweep()).toBe(1)
  })

  it("no delivery that it claimed", async () => {
    const { team, work, ref, ahead, sweep } = await busy()
    await happen(work, domainEvent(work, team))
    await ahead(() => claimDue(work, ref))
    expect(await sweep()).toBe(1)
  })

  it("no retry beyond the longest wait", async () => {
    const { team, work, ref, ahead, sweep } = await busy()
    await happen(work, domainEvent(work, team))
    await ahead(() => dispatch(work, [ref]))
    expect(await sweep()).toBe(2)
    expect(await sweep()).toBe(2)
  })

  it("no probe", async () => {
    const { team, work, clock, receiver, ref, hints } = await busy()
    await env.DB.prepare("update webhooks set probe_at = ? where id = ?")
      .bind(work.now() + HOUR, ref.webhookId)
      .run()
    await happen(work, domainEvent(work, team))
    expect(hints()).toMatchObject([{ ref, delaySeconds: 0 }])
    clock.advance(MINUTE)
    await sweepDeliveries(work)
    expect(hints().filter(({ ref: { webhookId } }) => webhookId === ref.webhookId)).toHaveLength(1)
    await dispatch(work, [ref])
    expect(receiver.received()).toHaveLength(1)
  })
})

it("a wait that a rule allows is kept", async () => {
  const { team, work, ref, carried, sweep } = await busy()
  await happen(work, domainEvent(work, team))
  const [{ ref: delivery } = never()] = await carried()
  await dispatch(work, [ref])
  expect(await rowOf(delivery)).toMatchObject({ not_before: work.now() + DAY })
  expect(await sweep()).toBe(1)
  expect(await rowOf(delivery)).toMatchObject({ not_before: work.now() + DAY - MINUTE })
})
