interface ZoneRecord {
  type: string
  name: string
  value: string
  priority: number | null
}

const TTL_SECONDS = 3_600
/** RFC 1035: a text has at most 255 bytes, and a record may have several. */
const MAX_TEXT = 255
const PARTS = new RegExp(`.{1,${MAX_TEXT}}`, "gs")

const absolute = (name: string) => (name.endsWith(".") ? name : `${name}.`)
const quoted = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`

function dataOf({ type, value, priority }: ZoneRecord): string {
  if (type === "TXT") return (value.match(PARTS) ?? [""]).map(quoted).join(" ")
  return priority === null ? absolute(value) : `${priority} ${absolute(value)}`
}

/** The records as a file that name servers and their operators import. */
export const zoneFile = (records: readonly ZoneRecord[]): string =>
  records
    .map((one) => `${absolute(one.name)} ${TTL_SECONDS} IN ${one.type} ${dataOf(one)}\n`)
    .join("")

/** For a spreadsheet or a mail to whoever runs the DNS. */
export const recordLines = (records: readonly ZoneRecord[]): string =>
  records
    .map(({ type, name, value, priority }) => [type, name, priority ?? "", value].join("\t"))
    .join("\n")
