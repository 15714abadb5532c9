/** The encodings that files of other programs have, each with its name. */
export const ENCODINGS = [
  ["utf-8", "Unicode (UTF-8)"],
  ["utf-16le", "Unicode (UTF-16)"],
  ["utf-16be", "Unicode (UTF-16, big endian)"],
  ["windows-1252", "Western European (Windows)"],
  ["windows-1250", "Central European (Windows)"],
  ["windows-1251", "Cyrillic (Windows)"],
  ["windows-1253", "Greek (Windows)"],
  ["windows-1254", "Turkish (Windows)"],
  ["windows-1255", "Hebrew (Windows)"],
  ["windows-1256", "Arabic (Windows)"],
  ["windows-1257", "Baltic (Windows)"],
  ["cp850", "Western European (DOS)"],
  ["cp437", "United States (DOS)"],
  ["macintosh", "Western European (Mac)"],
  ["koi8-r", "Cyrillic (KOI8-R)"],
  ["shift_jis", "Japanese (Shift JIS)"],
  ["euc-jp", "Japanese (EUC)"],
  ["gb18030", "Chinese, simplified (GB 18030)"],
  ["big5", "Chinese, traditional (Big5)"],
  ["euc-kr", "Korean (EUC)"],
] as const
export type Encoding = (typeof ENCODINGS)[number][0]

/** The upper half of encodings that browsers do not know. */
const DOS: { [Name in Encoding]?: string } = {
  cp850:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
  cp437:
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
}

export function decode(bytes: Uint8Array, encoding: Encoding): string {
  const upper = DOS[encoding]
  if (!upper) return new TextDecoder(encoding).decode(bytes)
  return Array.from(bytes, (byte) =>
    byte < 128 ? String.fromCharCode(byte) : (upper[byte - 128] ?? ""),
  ).join("")
}

/** `isSure`: the bytes prove it. Otherwise a person has to look at the names. */
export function detectEncoding(bytes: Uint8Array): { encoding: Encoding; isSure: boolean } {
  const sure = (encoding: Encoding) => ({ encoding, isSure: true })
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return sure("utf-16le")
  if (first === 0xfe && second === 0xff) return sure("utf-16be")
  const zeros = zerosOf(bytes)
  if (zeros) return sure(zeros)
  if (isReadable(bytes, "utf-8")) return sure("utf-8")
  return { encoding: guessOld(bytes), isSure: false }
}

const LOOKED_AT = 4_096

/** In UTF-16, each second byte of an address is zero. */
function zerosOf(bytes: Uint8Array): Encoding | undefined {
  const some = bytes.subarray(0, LOOKED_AT)
  const zeros = [0, 1].map(
    (rest) => some.filter((byte, at) => byte === 0 && at % 2 === rest).length,
  )
  const [even = 0, odd = 0] = zeros
  if (Math.max(even, odd) * 5 < some.length) return undefined
  return even > odd ? "utf-16be" : "utf-16le"
}

function isReadable(bytes: Uint8Array, encoding: Encoding): boolean {
  try {
    new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(bytes)
    return true
  } catch {
    return false
  }
}

const share = (some: readonly number[], test: (byte: number) => boolean) =>
  some.length === 0 ? 0 : some.filter(test).length / some.length

/** Central European letters that are signs in Western Europe. */
const CENTRAL = new Set([0xa3, 0xa5, 0xaf, 0xb3, 0xb9, 0xbf, 0x8c, 0x9c, 0x8f, 0x9f])

function guessOld(bytes: Uint8Array): Encoding {
  const runs = runsOf(bytes)
  const all = runs.flat()
  const inRuns = runs.filter((run) => run.length > 1).flat().length
  if (inRuns * 2 < all.length) return guessLatin(all)
  const kana = share(all, (byte) => byte === 0x82 || byte === 0x83)
  if (kana > 0.2 && isReadable(bytes, "shift_jis")) return "shift_jis"
  const areEven = runs.every((run) => run.length % 2 === 0)
  if (areEven && all.every((byte) => byte > 0xa0)) return guessEastAsian(runs)
  return share(all, (byte) => byte >= 0xe0) >= share(all, (byte) => byte >= 0xc0 && byte < 0xe0)
    ? "windows-1251"
    : "koi8-r"
}

/** Single letters with accents between letters of ASCII. */
function guessLatin(high: readonly number[]): Encoding {
  if (share(high, (byte) => byte >= 0x80 && byte < 0xa0 && !CENTRAL.has(byte)) > 0.5) {
    return share(high, (byte) => [0x8a, 0x9a, 0x9f, 0x8e, 0x88].includes(byte)) > 0.5
      ? "macintosh"
      : "cp850"
  }
  return share(high, (byte) => CENTRAL.has(byte)) > 0.15 ? "windows-1250" : "windows-1252"
}

function guessEastAsian(runs: readonly (readonly number[])[]): Encoding {
  const leads = runs.flatMap((run) => run.filter((_, at) => at % 2 === 0))
  if (share(leads, (byte) => byte === 0xa4 || byte === 0xa5) > 0.2) return "euc-jp"
  return share(leads, (byte) => byte >= 0xb0 && byte <= 0xc8) > 0.9 ? "euc-kr" : "gb18030"
}

const HIGH_BYTES_LOOKED_AT = 2_000

/** The bytes beyond ASCII, as they follow each other. */
function runsOf(bytes: Uint8Array): number[][] {
  const runs: number[][] = []
  let last = -2
  let count = 0
  for (const [at, byte] of bytes.entries()) {
    if (byte < 128) continue
    if (count++ > HIGH_BYTES_LOOKED_AT) break
    if (at === last + 1) runs.at(-1)?.push(byte)
    else runs.push([byte])
    last = at
  }
  return runs
}
