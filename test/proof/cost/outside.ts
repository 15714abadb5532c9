import { SES_HOST, type SesSend } from "../../support/fake-ses.ts"
import { SNS, SNS_HOST } from "../../support/fake-sns.ts"
import { fakeOutside } from "../../support/outside.ts"

let accepted: string[] = []

/** The emails that Amazon SES has accepted since the last question. */
export function acceptedIds(): string[] {
  const ids = accepted
  accepted = []
  return ids
}

/** Amazon SES that takes everything, the certificate of SNS, a name server and a receiver. */
export const openOutside = () =>
  fakeOutside({
    [SES_HOST]: async (request) => {
      if (request.method === "GET") return Response.json({ SendQuota: { MaxSendRate: -1 } })
      const { EmailTags } = (await request.json()) as SesSend
      accepted.push(EmailTags[0]?.Value ?? "")
      return Response.json({ MessageId: crypto.randomUUID() })
    },
    [SNS_HOST]: () => new Response(SNS.certificate),
    "cloudflare-dns.com": () =>
      Response.json({ Status: 0, Answer: [{ name: "", type: 1, TTL: 60, data: "93.184.215.14" }] }),
    "receiver.example.com": () => new Response("thanks"),
  })
