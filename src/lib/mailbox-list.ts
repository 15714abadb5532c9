import { type Mailbox, normalizeAddress } from "./address.ts"

/**
 * The mailboxes of an address field (RFC 5322), also those of groups; null in place of one that is
 * none or cannot be mailed. Names stand as they are, without their quotes. `word` says what a name consists of.
 */
export const readMailboxes = (value: string, word = WORD): (Mailbox | null)[] =>
  membersOf(value).flatMap((text) => (text.trim() === "" ? [] : readMailbox(text.trim(), word)))

/** The texts between commas and the ends of groups, without comments and the names of groups. */
function membersOf(value: string): string[] {
  const members: string[] = []
  let [member, comments, isQuoted, isAddress] = ["", 0, false, false]
  for (let at = 0; at < value.length; at++) {
    const sign = value[at] as string
    const isEscape = sign === "\\" && (isQuoted || comments > 0)
    const taken = isEscape ? sign + (value[++at] ?? "") : sign
    if (comments > 0) {
      if (sign === "(") comments++
      else if (sign === ")") comments--
    } else if (isQuoted || sign === '"') {
      if (sign === '"') isQuoted = !isQuoted
      member += taken
    } else if (sign === "(") comments = 1
    else if (sign === ":" && !isAddress) member = ""
    else if ((sign === "," || sign === ";") && !isAddress) {
      members.push(member)
      member = ""
    } else {
      if (sign === "<") isAddress = true
      else if (sign === ">") isAddress = false
      member += sign
    }
  }
  return [...members, member]
}

const WORD = /\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"<>@\\]+))/gsy
/** Also addresses and such without quotes, which many programs write. */
export const ANY_WORD = /\s*(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))/gsy

function readMailbox(text: string, word: RegExp): Mailbox | null {
  const start = text.endsWith(">") ? text.lastIndexOf("<") : -1
  const address = normalizeAddress(start < 0 ? text : text.slice(start + 1, -1).trim())
  const phrase = text.slice(0, Math.max(start, 0)).trimEnd()
  const words = [...phrase.matchAll(word)]
  const read = words.reduce((length, [text]) => length + text.length, 0)
  if (!address || read < phrase.length) return null
  const name = words
    .map(([, quoted, plain = ""]) => quoted?.replace(/\\(.)/gs, "$1") ?? plain)
    .join(" ")
  return name === "" ? { address } : { address, name }
}
