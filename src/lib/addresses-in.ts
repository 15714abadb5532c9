import { normalizeAddress } from "./address.ts"

const MAX_DECODINGS = 10
/** Enough for real addresses. Without a limit, a text of dots would have thousands for each `@`. */
const STARTS = 16
const ENDS = 10

/**
 * The addresses that `redactor` may find in a text: percent-encoded ones, and those that are part of a
 * longer one. It finds too many rather than too few.
 */
export function addressesIn(text: string): string[] {
  const found = new Set<string>()
  let spelled = text
  for (let decodings = 0; decodings <= MAX_DECODINGS; decodings++) {
    for (const { index } of spelled.matchAll(/@/g)) {
      const [local = ""] =
        /[a-z0-9.!#$%&'*+/=?^_`{|}~-]*$/i.exec(spelled.slice(0, index).slice(-64)) ?? []
      const [domain = ""] =
        /^[\p{L}\p{M}\p{N}.-]*/u.exec(spelled.slice(index + 1, index + 255)) ?? []
      const ends = endsIn(domain)
      for (const start of ends.length > 0 ? startsIn(local) : []) {
        for (const end of ends) found.add(`${start}@${end}`)
      }
    }
    const decoded = decode(spelled)
    if (decoded === spelled) break
    spelled = decoded
  }
  return [...found]
}

/** An address begins after anything but a letter or a digit, or after an encoded character. */
const startsIn = (local: string) =>
  [...local]
    .flatMap((_, at) =>
      at === 0 || /([^a-z0-9]|%[0-9a-f]{2})$/i.test(local.slice(0, at)) ? local.slice(at) : [],
    )
    .flatMap((start) => normalizeAddress(`${start}@a.aa`)?.slice(0, -"@a.aa".length) ?? [])
    .slice(-STARTS)

const endsIn = (domain: string) =>
  Array.from({ length: domain.length }, (_, at) => domain.slice(0, at + 1))
    .filter((end) => !/^[a-z0-9]/i.test(domain.slice(end.length)))
    .flatMap((end) => normalizeAddress(`a@${end}`)?.slice("a@".length) ?? [])
    .slice(0, ENDS)

/** What is not UTF-8 stays as it is: `%da` may be the end of `%25` before `da`. */
const decode = (text: string) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded
    }
  })
