import { AwsClient } from "aws4fetch"
import { decodeXML } from "entities/decode"
import type { SesSettings } from "./client.ts"

const SERVICES = {
  sns: { title: "Amazon SNS", version: "2010-03-31" },
  sqs: { title: "Amazon SQS", version: "2012-11-05" },
} as const

/** A call of AWS's query protocol. Answers the texts of XML elements of the reply: "" for one that is not there. */
export async function callAws<Element extends string = never>(
  { AWS_REGION, AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" }: SesSettings,
  service: keyof typeof SERVICES,
  parameters: Record<string, string>,
  ...elements: Element[]
): Promise<Record<Element, string>> {
  const { title, version } = SERVICES[service]
  const aws = new AwsClient({
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    service,
    region: AWS_REGION,
  })
  const host = `${service}.${AWS_REGION}.amazonaws.com${AWS_REGION.startsWith("cn-") ? ".cn" : ""}`
  const request = await aws.sign(`https://${host}/`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ ...parameters, Version: version }).toString(),
  })
  const response = await fetch(request)
  const xml = await response.text()
  if (!response.ok) throw new Error(`${title}: ${textOf(xml, "Message") || response.status}`)
  const texts = elements.map((element) => [element, textOf(xml, element)])
  return Object.fromEntries(texts) as Record<Element, string>
}

const textOf = (xml: string, element: string) =>
  decodeXML(new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1] ?? "")
