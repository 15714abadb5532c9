import type { SesSettings } from "./client.ts"
import { callAws } from "./query.ts"

/**
 * Amazon SNS repeats for an hour at most: here 12 times after 5 seconds, 8 times after growing waits,
 * 30 times after 90 seconds.
 */
const DELIVERY_POLICY = {
  healthyRetryPolicy: {
    numRetries: 50,
    numNoDelayRetries: 0,
    numMinDelayRetries: 12,
    minDelayTarget: 5,
    numMaxDelayRetries: 30,
    maxDelayTarget: 90,
    backoffFunction: "linear",
  },
}

/** As long as Amazon SQS keeps a message. */
const KEPT_SECONDS = 14 * 24 * 3_600

/** Makes the subscription repeat, and a queue for messages it gives up on. */
export async function keepUndelivered(
  settings: SesSettings,
  { name, topic, subscription }: { name: string; topic: string; subscription: string },
) {
  const queueName = `${name}-undelivered`
  const [, partition, , region, account] = topic.split(":")
  const queue = `arn:${partition}:sqs:${region}:${account}:${queueName}`
  // Without attributes: CreateQueue fails if the queue exists with other attributes.
  const { QueueUrl } = await callAws(
    settings,
    "sqs",
    { Action: "CreateQueue", QueueName: queueName },
    "QueueUrl",
  )
  await callAws(settings, "sqs", {
    Action: "SetQueueAttributes",
    QueueUrl,
    "Attribute.1.Name": "MessageRetentionPeriod",
    "Attribute.1.Value": String(KEPT_SECONDS),
    "Attribute.2.Name": "Policy",
    "Attribute.2.Value": JSON.stringify(policyOf(queue, topic)),
  })
  await setAttribute("DeliveryPolicy", DELIVERY_POLICY)
  await setAttribute("RedrivePolicy", { deadLetterTargetArn: queue })
  return { queueName, QueueUrl }

  function setAttribute(AttributeName: string, value: object) {
    return callAws(settings, "sns", {
      Action: "SetSubscriptionAttributes",
      SubscriptionArn: subscription,
      AttributeName,
      AttributeValue: JSON.stringify(value),
    })
  }
}

/**
 * Publishes the messages of the queue once more, and answers how many: SQS has no redrive to a topic.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
 */
export async function publishUndelivered(
  settings: SesSettings,
  { topic, QueueUrl }: { topic: string; QueueUrl: string },
): Promise<number> {
  // Without a wait, SQS asks a part of its servers and may find nothing.
  const receive = { Action: "ReceiveMessage", QueueUrl, WaitTimeSeconds: "5" }
  for (let count = 0; ; count++) {
    const found = await callAws(settings, "sqs", receive, "ReceiptHandle", "Body")
    const { ReceiptHandle } = found
    if (ReceiptHandle === "") return count
    const { Message } = JSON.parse(found.Body) as { Message: string }
    await callAws(settings, "sns", { Action: "Publish", TopicArn: topic, Message })
    await callAws(settings, "sqs", { Action: "DeleteMessage", QueueUrl, ReceiptHandle })
  }
}

/** Only the topic may put messages into the queue. */
const policyOf = (queue: string, topic: string) => ({
  Version: "2012-10-17",
  Statement: [
    {
      Effect: "Allow",
      Principal: { Service: "sns.amazonaws.com" },
      Action: "sqs:SendMessage",
      Resource: queue,
      Condition: { ArnEquals: { "aws:SourceArn": topic } },
    },
  ],
})
