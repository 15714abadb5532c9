import { prose, type Section } from "../blocks.ts"

export const receiving: Section = {
  id: "receiving",
  title: "Receiving",
  body: [
    prose(`
A verified domain takes mail after [\`PATCH /domains/:id\`](#call-domains.update) with \`{"receiving": "forward"}\`. [\`POST /inboxes\`](#call-inboxes.create) makes an address; \`*@domain\` takes what no other inbox of the domain takes. With \`"routing"\` instead, Cloudflare Email Routing leads the domain's mail here, if its zone is in the installation's account; at a subdomain, only that of its inboxes. What is forwarded to an inbox's \`forwardingAddress\` arrives in it. In the sandbox, mail that a team sends to an inbox in the same database arrives there, too.

- **Once**: the same message to the same recipient is taken once in 30 days, also after it was deleted. Fields that servers add on the way do not count.
- **Kinds**: \`message\`; \`autoReply\` with \`Auto-Submitted\` other than \`no\` or \`Precedence\` \`bulk\`, \`junk\` or \`list\`; \`bounce\` and \`complaint\` for reports of mail servers, which are in no thread.
- **Threads**: by \`In-Reply-To\` and \`References\`, against mail sent and received; the subject joins nothing. A reply of kind \`message\` stands on the timeline of the email that it answers as \`replied\`, and fires \`email.replied\`.
- **Texts**: \`text\` and \`html\` are cut at 1,048,576 characters together with those of other parts of the type. \`replyText\` is without quotation and signature, or all of the text if nothing else is left. Never show \`html\` unguarded: a stranger wrote it.
- **Limits**: 25 MiB a message, 60 a minute an inbox and 1,000 a team; what is over is refused for now. A message with more than 1,000 parts, parts deeper than 20 or a header over 256 KiB is kept with \`parsed: false\`.
- **Retention**: an inbox's mail is deleted after its \`retentionDays\`.`),
  ],
}
