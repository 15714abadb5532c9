import type { SesSend } from "../support/fake-ses.ts"

/** Most reports come at once, some after minutes, a few after the service has stopped waiting. */
export function delayOf(chance: number): number {
  if (chance < 0.75) return chance * 10_000
  if (chance < 0.95) return (chance - 0.75) * 20 * 60_000
  return (chance - 0.95) * 20 * 40 * 60_000
}

/** What Amazon SES publishes on a message: that it was sent, and what became of it. */
export function eventsOf(message: SesSend, messageId: string, acceptedAt: number) {
  const tags = Object.fromEntries(message.EmailTags.map(({ Name, Value }) => [Name, [Value]]))
  const mail = { timestamp: new Date(acceptedAt).toISOString(), messageId, tags }
  const send: Outcome = { eventType: "Send", afterMs: 0 }
  return [send, ...outcomesOf(message)].map(({ eventType, afterMs, ...details }) => {
    const at = acceptedAt + afterMs
    const timestamp = new Date(at).toISOString()
    const timed = Object.entries(details).map(([name, detail]) => [name, { ...detail, timestamp }])
    return { at, body: JSON.stringify({ eventType, mail, ...Object.fromEntries(timed) }) }
  })
}

interface Outcome {
  eventType: string
  /** After the acceptance. */
  afterMs: number
  delivery?: { recipients: string[] }
  bounce?: object
  complaint?: object
  deliveryDelay?: object
}

/** What becomes of the message, by the simulated mailbox of each recipient. */
function outcomesOf({ Destination }: SesSend): Outcome[] {
  const { ToAddresses, CcAddresses, BccAddresses } = Destination
  return [...ToAddresses, ...CcAddresses, ...BccAddresses].flatMap((address): Outcome[] => {
    const [mailbox] = address.split("+")
    const delivery = { eventType: "Delivery", afterMs: 2_000, delivery: { recipients: [address] } }
    const bounce = (bounceType: string) => ({
      eventType: "Bounce",
      afterMs: 2_000,
      bounce: { bounceType, bouncedRecipients: [{ emailAddress: address }] },
    })
    const complaint = (complaintFeedbackType: string) => ({
      eventType: "Complaint",
      afterMs: 60_000,
      complaint: { complaintFeedbackType, complainedRecipients: [{ emailAddress: address }] },
    })
    switch (mailbox) {
      case "stuck":
        return []
      case "bounce":
      case "suppressionlist":
        return [bounce("Permanent")]
      case "softbounce":
        return [bounce("Transient")]
      case "complaint":
        return [delivery, complaint("abuse")]
      case "notspam":
        return [delivery, complaint("not-spam")]
      case "delay": {
        const deliveryDelay = {
          delayType: "MailboxFull",
          delayedRecipients: [{ emailAddress: address }],
        }
        return [
          { eventType: "DeliveryDelay", afterMs: 1_000, deliveryDelay },
          { ...delivery, afterMs: 30_000 },
        ]
      }
      default:
        return [delivery]
    }
  })
}
