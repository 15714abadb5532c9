import { prose, type Section } from "../blocks.ts"

export const rawMessages: Section = {
  id: "raw-messages",
  title: "Raw messages",
  body: [
    prose(`
[\`POST /emails/raw\`](#call-emails.sendRaw) takes a whole message of RFC 5322 and sends it as it came. The query \`to\` decides alone who gets it. \`From\` is the sender, under all rules of a send. \`to\` and \`cc\` of the record are the addresses of the header that \`to\` names, and the others are \`bcc\`.

- **Kept**: every byte of the body, and the header fields in their order.
- **Taken out**: \`Bcc\`, \`Resent-Bcc\`, \`Return-Path\`, \`Received\`, \`DKIM-Signature\` of the sender's domain, a domain above it or below it, and \`X-\` fields that steer a provider, such as \`X-SES-*\`.
- **Added**: \`Date\`, \`Message-ID\` and \`MIME-Version\` where they are missing.
- **Message-ID**: stays on the sender's domain or below it. Another one is replaced, and stays as \`X-Original-Message-ID\`.
- **Line ends**: a bare CR or LF becomes CRLF.
- **Tracking**: rewrites the bytes of the first \`text/html\` part alone, in its charset and transfer encoding. In a part without an encoding, a link that would exceed a line stays. The \`sent\` entry has \`untracked: "signed_or_encrypted"\` for a message that is signed or encrypted, which is never rewritten, and \`untracked: "unreadable"\` for html of more than 5 MB, or in a charset or encoding that cannot be edited.

Refused, with the number of the line: no \`From\`, a second one, or one that has not exactly one mailbox; a line of the header that is no field, or not UTF-8; a line of more than 998 octets; a header, also of a part, of more than 256 KiB or 1,000 lines; MIME parts deeper than 20 levels, or more than 1,000.

[\`GET /emails/:id/raw\`](#call-emails.raw) answers the message that was handed over. With Amazon SES and SMTP, encoded words stand for text beyond ASCII in its header. Cloudflare takes no whole message: it gets the parts, and writes the message anew.`),
  ],
}
