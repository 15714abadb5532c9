import { SES_HOST, type SesSend } from "../support/fake-ses.ts"
import { SNS, SNS_HOST, signSns } from "../support/fake-sns.ts"
import type { Internet } from "../support/internet.ts"
import type { Draw } from "./chance.ts"
import { currentInvocation, type Invocation, PROVIDER } from "./invocation.ts"
import type { Handover } from "./journal.ts"
import { delayOf, eventsOf } from "./reports.ts"

/** What the provider does with a message. */
type Behaviour =
  | "accepts"
  | "refuses"
  | "answers 503"
  | "answers 429"
  | "is not reached"
  | "hangs"
  | "accepts, answers 500"
  | "accepts, breaks off"
  | "accepts, hangs"

/** How often, while faults happen. All else is accepted. */
const RATES: Partial<Record<Behaviour, number>> = {
  "answers 503": 0.03,
  "answers 429": 0.03,
  "is not reached": 0.02,
  hangs: 0.02,
  "accepts, answers 500": 0.03,
  "accepts, breaks off": 0.03,
  "accepts, hangs": 0.03,
}
const OUTAGES: Behaviour[] = [
  "answers 503",
  "answers 429",
  "is not reached",
  "hangs",
  "accepts, answers 500",
]
const ACCEPTS_NOTHING = new Set<Behaviour>([
  "answers 503",
  "answers 429",
  "is not reached",
  "hangs",
])
const SHORTEST_OUTAGE_MS = 1_000
const LONGEST_OUTAGE_MS = 2 * 3_600_000
const OUTAGES_BEGIN_WITHIN_MS = 4 * 60_000
/** As the client of the service waits. */
const HANGS_MS = 20_000
const BETWEEN_COPIES_MS = 5_000
/** SNS repeats what was not taken. */
const REPEATED_AFTER_MS = 20_000

/** A message that the provider has taken. */
export interface Acceptance extends Handover {
  message: SesSend
}

/** A message that the provider was asked to take, whatever it answered. */
export interface Ask {
  at: number
  invocation: Invocation
}

interface Report {
  emailId: string
  dueAt: number
  body: string
}

interface Surroundings {
  draw: Draw
  now(): number
  note(line: string): void
  /** Whether faults happen. Outages end by the clock. */
  isFaulty(): boolean
}

export type FakeProvider = ReturnType<typeof createProvider>

/** A provider with the calls and reports of Amazon SES, and a journal of its own. */
export function createProvider(internet: Internet, { draw, now, note, isFaulty }: Surroundings) {
  const acceptances: Acceptance[] = []
  const taken: { emailId: string; at: number }[] = []
  const asks: Ask[] = []
  const attempts = new Map<string, number>()
  let reports: Report[] = []
  const begunAt = now()
  const outages = [0, 1].map((index) => {
    const from = begunAt + draw(`outage ${index}`) * OUTAGES_BEGIN_WITHIN_MS
    const lengthMs =
      SHORTEST_OUTAGE_MS *
      (LONGEST_OUTAGE_MS / SHORTEST_OUTAGE_MS) ** draw(`length of outage ${index}`)
    const kind = OUTAGES[Math.floor(draw(`kind of outage ${index}`) * OUTAGES.length)] as Behaviour
    note(
      `the provider ${kind} from +${Math.round((from - begunAt) / 1_000)} s, for ${Math.round(lengthMs / 1_000)} s`,
    )
    return { kind, from, until: from + lengthMs }
  })

  const currentOutage = () => outages.find(({ from, until }) => from <= now() && now() < until)

  function behaviourTo(to: string, attempt: number): Behaviour {
    const outage = currentOutage()
    if (to.startsWith("reject") && !(outage && ACCEPTS_NOTHING.has(outage.kind))) return "refuses"
    if (outage) return outage.kind
    if (to.startsWith("flaky") && attempt <= 2) return "answers 503"
    if (!isFaulty()) return "accepts"
    let left = draw(`provider ${to} ${attempt}`)
    const fault = Object.entries(RATES).find(([, rate]) => {
      left -= rate
      return left < 0
    })
    return (fault?.[0] ?? "accepts") as Behaviour
  }

  function send(message: SesSend): Promise<Response> {
    const invocation = currentInvocation() as Invocation
    const emailId = message.EmailTags[0]?.Value ?? ""
    const to = message.Destination.ToAddresses.join()
    return invocation.call(PROVIDER, async (fault) => {
      asks.push({ at: now() + invocation.tookMs(), invocation })
      const attempt = (attempts.get(to) ?? 0) + 1
      attempts.set(to, attempt)
      const behaviour = behaviourTo(to, attempt)
      if (behaviour !== "accepts") note(`${invocation.label}: the provider ${behaviour}: ${to}`)
      if (behaviour.startsWith("accepts")) {
        const isAnswered = behaviour === "accepts"
        const faultsBefore = invocation.faults().length
        const at = now() + invocation.tookMs()
        const sender = message.FromEmailAddress
        const known = { at, invocation, fault, faultsBefore, isAnswered }
        acceptances.push({ emailId, sender, ...known, message })
        reportOn(message, acceptances.length, at)
      }
      return answerTo(behaviour, invocation, acceptances.length)
    })
  }

  function reportOn(message: SesSend, number: number, acceptedAt: number) {
    const emailId = message.EmailTags[0]?.Value ?? ""
    eventsOf(message, `ses-${number}`, acceptedAt).forEach(({ at, body }, index) => {
      const label = `report ${number} ${index}`
      const isLost = index === 0 && isFaulty() && draw(`${label} is lost`) < 0.05
      const copies = isLost ? 0 : draw(`${label} is doubled`) < 0.2 ? 2 : 1
      const dueAt = at + delayOf(draw(label))
      for (let copy = 0; copy < copies; copy++) {
        reports.push({ emailId, dueAt: dueAt + copy * BETWEEN_COPIES_MS, body })
      }
    })
  }

  internet.answers.set(SES_HOST, ({ url, body }) =>
    url.endsWith("/outbound-emails") ? send(JSON.parse(body)) : answerForDomain(),
  )
  internet.answers.set(SNS_HOST, () => new Response(SNS.certificate))

  return {
    acceptances,
    asks,
    taken,
    outages,
    isAway: () => currentOutage() !== undefined,
    nextReportAt: () => Math.min(...reports.map(({ dueAt }) => dueAt)),
    /** Hands what is due to `post`, which answers whether it was taken. */
    async report(post: (body: string) => Promise<boolean>): Promise<void> {
      const due = reports.filter(({ dueAt }) => dueAt <= now())
      reports = reports.filter((one) => !due.includes(one))
      for (const one of due) {
        const signed = signSns(SNS, {
          Message: one.body,
          Timestamp: new Date(now()).toISOString(),
        })
        if (await post(JSON.stringify(signed))) taken.push({ emailId: one.emailId, at: now() })
        else reports.push({ ...one, dueAt: now() + REPEATED_AFTER_MS })
      }
    },
  }
}

async function answerTo(
  behaviour: Behaviour,
  invocation: Invocation,
  number: number,
): Promise<Response> {
  switch (behaviour) {
    case "accepts":
      return Response.json({ MessageId: `ses-${number}` })
    case "refuses":
      return fault(400, "MessageRejected")
    case "answers 429":
      return fault(429, "TooManyRequestsException")
    case "answers 503":
      return fault(503, "ServiceUnavailable")
    case "accepts, answers 500":
      return fault(500, "InternalFailure")
    case "hangs":
    case "accepts, hangs":
      await invocation.wait(HANGS_MS)
      throw new DOMException("The operation was aborted due to timeout", "TimeoutError")
    default:
      throw new TypeError("Network connection lost.")
  }
}

const fault = (status: number, code: string) =>
  Response.json({ message: code }, { status, headers: { "x-amzn-errortype": `${code}:` } })

const answerForDomain = () =>
  Response.json({
    VerifiedForSendingStatus: true,
    DkimAttributes: { Status: "SUCCESS", Tokens: ["one", "two", "three"] },
    SendQuota: { MaxSendRate: -1 },
  })
