import { prose, type Section } from "../blocks.ts"

export const tracking: Section = {
  id: "tracking",
  title: "Open and click tracking",
  body: [
    prose(`
Off, unless the email or campaign says \`trackOpens\` or \`trackClicks\`, or the team does.

- **Opens**: a pixel at the end of \`html\`, \`GET /t/o/<token>\`. There is one \`opened\` per user agent and UTC day.
- **Clicks**: \`http(s)\` links in \`<a href>\` of \`html\` lead through \`GET /t/c/<token>\`, which redirects (302). There is one \`clicked\` per url, user agent and UTC day. Unsubscribe and preference links and links of more than 2,048 characters stay as they are.

A message with more than 2,000 links, or whose links would add more than 1 MiB, goes out with the links you wrote. Its \`sent\` entry then has \`untracked: "too_many_links"\`. The pixel stays, so opens are still recorded. [Raw messages](#raw-messages) have more such reasons.

At most 50 opens and 50 clicks are recorded an email and UTC day. Later ones still get the pixel or the redirect.

Tokens are signed: a forged one answers 404 and redirects nowhere. HEAD is not counted. Mail programs that fetch pixels ahead count as opens.`),
  ],
}

export const unsubscribing: Section = {
  id: "unsubscribing",
  title: "Unsubscribing",
  body: [
    prose(`
Every campaign email carries \`List-Unsubscribe\`, \`List-Unsubscribe-Post\` and a link at its foot, all signed.

- \`GET /unsubscribe/<token>\` shows a page with a button and changes nothing, since scanners follow links.
- \`POST /unsubscribe/<token>\` unsubscribes at once, as RFC 8058 asks. It may be repeated. A bad token gets 404.
- Where the domain [receives](#receiving), \`List-Unsubscribe\` has an address too, \`<mailto:u+…>\`. Any mail to it unsubscribes at once, for as long as the record of the email is kept.

It sets \`subscribed\` to false in the campaign's book, and in every book of the team where the page's form says so, with \`unsubscribeReason\` \`link\`, \`one-click\` or \`mail\`, and fires \`contact.unsubscribed\` for each contact that changed. A contact that has another address since the mail was sent is unsubscribed, too. It writes no suppression: receipts and password mails still arrive. [\`POST /contacts/unsubscribe\`](#call-contacts.unsubscribe) does it for every book, or for one.

\`{{ preferencesUrl }}\` in a campaign's text, or as the \`url\` of a button, is the recipient's own link to \`GET /preferences/<token>\`: a page with a box for each book that holds the address and each [topic](#call-topics.create) of the team. A contact that has another address since the mail was sent counts, too. \`POST\` stores what the person changed. A choice of a topic holds in every book of the address. What was not changed is left alone, and so is a "no" that came after the page was opened. The reason is \`preferences\`. A bad token gets 404.`),
  ],
}
