import { callSes, type SesAnswer, type SesSettings } from "./client.ts"
import { callAws } from "./query.ts"
import { keepUndelivered, publishUndelivered } from "./undelivered.ts"

/** Creates what is missing in the AWS account. It is safe to repeat. */
interface Setup {
  settings: SesSettings & { SES_CONFIGURATION_SET: string; BASE_URL: string }
  /** Called after each step. */
  report(line: string): void
}

const EVENT_TYPES = [
  "SEND",
  "DELIVERY",
  "BOUNCE",
  "COMPLAINT",
  "REJECT",
  "RENDERING_FAILURE",
  "DELIVERY_DELAY",
]

/**
 * Makes the configuration set, the topic of its events, the subscription, and the queue of messages
 * that SNS could not deliver, and publishes those again. Answers the topic.
 */
export async function setUpSes({ settings, report }: Setup): Promise<string> {
  const name = settings.SES_CONFIGURATION_SET
  const endpoint = `${settings.BASE_URL}/providers/ses/events`
  if (!endpoint.startsWith("https://")) throw new Error("BASE_URL must be https: SNS posts there.")

  const path = "/v2/email/configuration-sets"
  const made = await callSes(settings, "POST", path, { ConfigurationSetName: name })
  report(`Configuration set ${name}: ${doneOrThere(made)}.`)

  const create = { Action: "CreateTopic", Name: name }
  const { TopicArn: topic } = await callAws(settings, "sns", create, "TopicArn")
  await setTopicAttribute(settings, topic, "SignatureVersion", "2")
  await setTopicAttribute(settings, topic, "Policy", JSON.stringify(policyOf(topic)))
  report(`Topic ${topic}: there, and Amazon SES may publish to it.`)

  const destinations = `${path}/${name}/event-destinations`
  const EventDestination = {
    Enabled: true,
    MatchingEventTypes: EVENT_TYPES,
    SnsDestination: { TopicArn: topic },
  }
  const added = await callSes(settings, "POST", destinations, {
    EventDestinationName: name,
    EventDestination,
  })
  if (doneOrThere(added) === "was there") {
    done(await callSes(settings, "PUT", `${destinations}/${name}`, { EventDestination }))
  }
  report(`Events of the configuration set go to the topic: ${EVENT_TYPES.join(", ")}.`)

  const subscribe = { Action: "Subscribe", TopicArn: topic, Protocol: "https", Endpoint: endpoint }
  const { SubscriptionArn: subscription } = await callAws(
    settings,
    "sns",
    subscribe,
    "SubscriptionArn",
  )
  const isConfirmed = subscription.startsWith("arn:")
  report(
    `Subscription of ${endpoint}: ${isConfirmed ? "confirmed" : "waits for its confirmation"}.`,
  )
  if (isConfirmed) {
    const { queueName, QueueUrl } = await keepUndelivered(settings, { name, topic, subscription })
    report(`What it does not take is repeated for an hour, then kept in the queue ${queueName}.`)
    const count = await publishUndelivered(settings, { topic, QueueUrl })
    report(`Published again from that queue: ${count}.`)
  }
  return topic
}

const done = (answer: SesAnswer<unknown>) => {
  if (!answer.ok) throw new Error(answer.reason)
}

function doneOrThere(answer: SesAnswer<unknown>): "made" | "was there" {
  if (!answer.ok && answer.code === "AlreadyExistsException") return "was there"
  done(answer)
  return "made"
}

const setTopicAttribute = (
  settings: SesSettings,
  TopicArn: string,
  AttributeName: string,
  AttributeValue: string,
) =>
  callAws(settings, "sns", {
    Action: "SetTopicAttributes",
    TopicArn,
    AttributeName,
    AttributeValue,
  })

/** SES may publish for the topic's own account only. */
function policyOf(topic: string) {
  return {
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { Service: "ses.amazonaws.com" },
        Action: "sns:Publish",
        Resource: topic,
        Condition: { StringEquals: { "AWS:SourceAccount": topic.split(":")[4] } },
      },
    ],
  }
}
