import { AwsClient } from "aws4fetch"
import { callSes, type SesAnswer, type SesSettings } from "./client.ts"

/** What Edgepost needs of an AWS account, made where it is not there: safe to repeat. */
export interface Setup {
  settings: SesSettings & { SES_CONFIGURATION_SET: string; BASE_URL: string }
  /** Told of each step, once it is done. */
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

/** Makes the configuration set, the topic of its events and the subscription; answers the topic. */
export async function setUpSes({ settings, report }: Setup): Promise<string> {
  const name = settings.SES_CONFIGURATION_SET
  const endpoint = `${settings.BASE_URL}/providers/ses/events`
  if (!endpoint.startsWith("https://")) throw new Error("BASE_URL must be https: SNS posts there.")

  const path = "/v2/email/configuration-sets"
  const made = await callSes(settings, "POST", path, { ConfigurationSetName: name })
  report(`Configuration set ${name}: ${doneOrThere(made)}.`)

  const topic = await callSns(settings, { Action: "CreateTopic", Name: name }, "TopicArn")
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
  const subscription = await callSns(settings, subscribe, "SubscriptionArn")
  const isConfirmed = subscription.startsWith("arn:")
  report(
    `Subscription of ${endpoint}: ${isConfirmed ? "confirmed" : "waits for its confirmation"}.`,
  )
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
) => callSns(settings, { Action: "SetTopicAttributes", TopicArn, AttributeName, AttributeValue })

/** SES publishes for the topic's own account only. */
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

/** SNS speaks AWS's query protocol: a form goes in, XML comes back, of which one element counts. */
async function callSns(
  { AWS_REGION, AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" }: SesSettings,
  parameters: Record<string, string>,
  element?: string,
): Promise<string> {
  const aws = new AwsClient({
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    service: "sns",
    region: AWS_REGION,
  })
  const request = await aws.sign(`https://sns.${AWS_REGION}.amazonaws.com/`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...parameters, Version: "2010-03-31" }).toString(),
  })
  const response = await fetch(request)
  const xml = await response.text()
  if (!response.ok) throw new Error(`Amazon SNS: ${textOf(xml, "Message") || response.status}`)
  return element ? textOf(xml, element) : ""
}

const textOf = (xml: string, element: string) =>
  new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? ""
