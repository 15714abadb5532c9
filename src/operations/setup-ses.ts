import * as z from "zod"
import { plainIssue } from "../lib/plain-issue.ts"
import { settingsSchema } from "../worker/platform/env.ts"
import { setUpSes } from "../worker/providers/ses/setup.ts"

const parsed = settingsSchema
  .pick({ AWS_REGION: true, SES_CONFIGURATION_SET: true, SES_ENDPOINT: true, BASE_URL: true })
  .extend({ AWS_ACCESS_KEY_ID: z.string().min(1), AWS_SECRET_ACCESS_KEY: z.string().min(1) })
  .safeParse(process.env, { error: plainIssue })

if (!parsed.success) {
  console.error(`${z.prettifyError(parsed.error)}

Run it with the credentials of an AWS user that may manage SES, SNS and SQS, and the address of your
installation:

  AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=… AWS_REGION=us-east-1 \\
    BASE_URL=https://mail.example.com npm run setup:ses`)
  process.exit(1)
}

try {
  const topic = await setUpSes({ settings: parsed.data, report: (line) => console.log(line) })
  console.log(`
Set these in settings.edgepost.toml and deploy, then run this once more: the subscription is confirmed by a Worker that
knows the topic, and only then can it be told to repeat what the Worker does not take.

  PROVIDER = "ses"
  AWS_REGION = "${parsed.data.AWS_REGION}"
  SES_CONFIGURATION_SET = "${parsed.data.SES_CONFIGURATION_SET}"
  SES_TOPIC_ARNS = "${topic}"
  AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY as secrets, of a user that may call SES.`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
